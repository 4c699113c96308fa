#include "os/program.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>

#include "os/process.h"
#include "os/unique_fd.h"

namespace belay {
namespace {

constexpr std::size_t kMostOutput = std::size_t{1} << 20U;

struct Pipe {
  UniqueFd read;
  UniqueFd write;
};

Result<Pipe> MakePipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return SystemError("pipe", errno);
  return Pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

// Reads what is there; false at the end of the stream.
bool Drain(int fd, std::string& out) {
  char buffer[16384];
  const ssize_t count = read(fd, buffer, sizeof(buffer));
  if (count < 0) return errno == EINTR;
  const std::size_t room = kMostOutput - std::min(kMostOutput, out.size());
  out.append(buffer, std::min(static_cast<std::size_t>(count), room));
  return count > 0;
}

// Until both streams and the process itself have ended; false when the time was up first.
bool Collect(const UniqueFd& out, const UniqueFd& err, int process, Duration limit,
             ProgramResult& result) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  pollfd ends[] = {{out.get(), POLLIN, 0}, {err.get(), POLLIN, 0}, {process, POLLIN, 0}};
  std::string* texts[] = {&result.out, &result.err};
  while (ends[0].fd >= 0 || ends[1].fd >= 0 || ends[2].fd >= 0) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    const int ready = poll(ends, 3, static_cast<int>(std::clamp<long>(left.count(), 0, 60'000)));
    if (ready < 0 && errno != EINTR) return false;
    // Also in a round that brought something: a program that never stops talking has a limit too.
    if (std::chrono::steady_clock::now() >= deadline) return false;
    if (ready <= 0) continue;
    for (std::size_t i = 0; i < 2; ++i) {
      if (ends[i].revents != 0 && !Drain(ends[i].fd, *texts[i])) ends[i].fd = -1;
    }
    if (ends[2].revents != 0) ends[2].fd = -1;
  }
  return true;
}

int CodeOf(const ExitStatus& status) {
  return status.how == ExitStatus::How::kKilled ? 128 + status.value : status.value;
}

}  // namespace

Result<ProgramResult> PosixPrograms::Run(const std::vector<std::string>& command, Duration limit) {
  BELAY_TRY_ASSIGN(Pipe out, MakePipe());
  BELAY_TRY_ASSIGN(Pipe err, MakePipe());
  auto process =
      Process::Spawn({.command = command, .output = out.write.get(), .errors = err.write.get()});
  if (!process) return process.error().AsError();
  out.write.Reset();
  err.write.Reset();
  ProgramResult result{};
  const bool in_time = Collect(out.read, err.read, process->pidfd(), limit, result);
  if (!in_time) {
    (void)process->SignalGroup(SIGKILL);
    (void)process->Signal(SIGKILL);  // it may have left its group
  }
  result.exit_code = CodeOf(process->Wait());
  if (!in_time) {
    return Error{ErrorCode::kFailed,
                 fmt::format("run {}: no end after {}", command[0], FormatDuration(limit))};
  }
  return result;
}

}  // namespace belay
