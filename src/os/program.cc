#include "os/program.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>

#include "base/check.h"
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

// What posix_spawn needs to know, with the lifetime it needs.
class SpawnPlan {
 public:
  SpawnPlan(int out, int err) {
    int failed = posix_spawn_file_actions_init(&actions_);
    failed |= posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    failed |= posix_spawn_file_actions_adddup2(&actions_, out, STDOUT_FILENO);
    failed |= posix_spawn_file_actions_adddup2(&actions_, err, STDERR_FILENO);
    failed |= posix_spawnattr_init(&attributes_);
    failed |= posix_spawnattr_setpgroup(&attributes_, 0);
    failed |= posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP);
    BELAY_CHECK(failed == 0);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;
  ~SpawnPlan() {
    (void)posix_spawn_file_actions_destroy(&actions_);
    (void)posix_spawnattr_destroy(&attributes_);
  }

  Result<pid_t> Spawn(const std::vector<std::string>& command) const {
    std::vector<char*> arguments;
    for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    pid_t pid = 0;
    const int error =
        posix_spawnp(&pid, arguments[0], &actions_, &attributes_, arguments.data(), environ);
    if (error != 0) return SystemError(fmt::format("run {}", command[0]), error);
    return pid;
  }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

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
bool Collect(const UniqueFd& out, const UniqueFd& err, const UniqueFd& process, Duration limit,
             ProgramResult& result) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  pollfd ends[] = {{out.get(), POLLIN, 0}, {err.get(), POLLIN, 0}, {process.get(), POLLIN, 0}};
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

int Reap(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

Result<ProgramResult> PosixPrograms::Run(const std::vector<std::string>& command, Duration limit) {
  BELAY_TRY_ASSIGN(Pipe out, MakePipe());
  BELAY_TRY_ASSIGN(Pipe err, MakePipe());
  const SpawnPlan plan(out.write.get(), err.write.get());
  BELAY_TRY_ASSIGN(const pid_t pid, plan.Spawn(command));
  out.write.Reset();
  err.write.Reset();
  ProgramResult result{};
  // Not glibc's sys/pidfd.h: in 2.36 it lacks C linkage.
  const UniqueFd process(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  const bool in_time = Collect(out.read, err.read, process, limit, result);
  if (!in_time) {
    (void)kill(-pid, SIGKILL);
    (void)kill(pid, SIGKILL);  // it may have left its group
  }
  result.exit_code = Reap(pid);
  if (!in_time) {
    return Error{ErrorCode::kFailed,
                 fmt::format("run {}: no end after {}", command[0], FormatDuration(limit))};
  }
  return result;
}

}  // namespace belay
