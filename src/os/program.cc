#include "os/program.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <utility>

#include "os/clock.h"

namespace belay {
namespace {

struct Pipe {
  UniqueFd ours;
  UniqueFd theirs;
};

Result<Pipe> MakePipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return SystemError("pipe", errno);
  return Pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

// A socket, because writing to a pipe without a reader would raise SIGPIPE.
Result<Pipe> MakeInput() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return SystemError("socketpair", errno);
  }
  return Pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

// A running program, and its output so far.
class Conversation {
 public:
  Conversation(const ProgramRequest& request, Process process)
      : request_(request), process_(std::move(process)) {}

  Result<void> Collect();
  void End();
  ProgramResult Outcome();

  UniqueFd in, out, err;

 private:
  Result<bool> Drain(int fd, std::string& text);
  Result<bool> FeedSome();
  Result<void> Hear(pollfd& end, std::string& text);
  Result<void> Feed(pollfd& end);

  const ProgramRequest& request_;
  Process process_;
  ProgramResult result_{};
  std::string piece_;
  std::size_t sent_ = 0;
};

// Reads what is available; false at end of file.
Result<bool> Conversation::Drain(int fd, std::string& text) {
  char buffer[65536];
  const ssize_t count = read(fd, buffer, sizeof(buffer));
  if (count < 0) return errno == EINTR;
  if (request_.output && &text == &result_.out) {
    BELAY_TRY(request_.output(std::string_view(buffer, static_cast<std::size_t>(count))));
    return count > 0;
  }
  const std::size_t room = request_.most_output - std::min(request_.most_output, text.size());
  const std::size_t kept = std::min(static_cast<std::size_t>(count), room);
  text.append(buffer, kept);
  result_.cut = result_.cut || kept < static_cast<std::size_t>(count);
  return count > 0;
}

// Sends a part of the input; false at its end, or when the program has closed it.
Result<bool> Conversation::FeedSome() {
  if (sent_ == piece_.size()) {
    piece_.clear();
    sent_ = 0;
    BELAY_TRY_ASSIGN(const bool more, request_.input(piece_));
    if (!more || (request_.converses && piece_.empty())) return more;
  }
  const ssize_t count =
      send(in.get(), piece_.data() + sent_, piece_.size() - sent_, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (count < 0) return errno == EINTR || errno == EAGAIN;
  sent_ += static_cast<std::size_t>(count);
  return true;
}

Result<void> Conversation::Hear(pollfd& end, std::string& text) {
  if (end.revents == 0) return {};
  BELAY_TRY_ASSIGN(const bool open, Drain(end.fd, text));
  if (!open) end.fd = -1;
  return {};
}

Result<void> Conversation::Feed(pollfd& end) {
  if (end.revents == 0) return {};
  BELAY_TRY_ASSIGN(const bool more, FeedSome());
  if (request_.converses && piece_.empty()) end.events = 0;  // until it has answered
  if (more) return {};
  in.Reset();
  end.fd = -1;
  return {};
}

// Runs until both streams and the process itself have ended.
Result<void> Conversation::Collect() {
  const SystemClock clock;
  const MonotonicTime deadline = clock.Monotonic() + request_.limit;
  pollfd ends[] = {{out.get(), POLLIN, 0},
                   {err.get(), POLLIN, 0},
                   {process_.pidfd(), POLLIN, 0},
                   {in ? in.get() : -1, POLLOUT, 0}};
  while (ends[0].fd >= 0 || ends[1].fd >= 0 || ends[2].fd >= 0) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - clock.Monotonic());
    const int ready = poll(ends, 4, static_cast<int>(std::clamp<long>(left.count(), 0, 60'000)));
    if (ready < 0 && errno != EINTR) return SystemError("poll", errno);
    // Also in a round that read something: a program that never stops writing has a limit too.
    if (clock.Monotonic() >= deadline) {
      return Error{ErrorCode::kFailed,
                   fmt::format("run {}: not finished after {}", request_.command[0],
                               FormatDuration(request_.limit))};
    }
    if (ready <= 0) continue;
    if (ends[0].revents != 0) ends[3].events = POLLOUT;
    BELAY_TRY(Hear(ends[0], result_.out));
    BELAY_TRY(Hear(ends[1], result_.err));
    if (ends[2].revents != 0) ends[2].fd = -1;
    BELAY_TRY(Feed(ends[3]));
  }
  return {};
}

void Conversation::End() {
  (void)process_.SignalGroup(SIGKILL);
  (void)process_.Signal(SIGKILL);  // it may have left its group
  (void)process_.Wait();
}

ProgramResult Conversation::Outcome() {
  const ExitStatus status = process_.Wait();
  result_.exit_code = status.code();
  return std::move(result_);
}

}  // namespace

ProgramRequest::Input InputOf(std::string text) {
  return [text = std::move(text), given = false](std::string& piece) mutable -> Result<bool> {
    if (given) return false;
    given = true;
    piece = std::move(text);
    return true;
  };
}

Result<ProgramResult> PosixPrograms::Run(const ProgramRequest& request) {
  BELAY_TRY_ASSIGN(Pipe out, MakePipe());
  BELAY_TRY_ASSIGN(Pipe err, MakePipe());
  Pipe in;
  if (request.input) {
    BELAY_TRY_ASSIGN(in, MakeInput());
  }
  SpawnRequest spawn{.command = request.command,
                     .folder = request.folder,
                     .environment = request.environment,
                     .output = out.theirs.get(),
                     .errors = err.theirs.get()};
  if (request.input) spawn.input = in.theirs.get();
  auto process = Process::Spawn(spawn);
  if (!process) return process.error().AsError();
  Conversation conversation(request, *std::move(process));
  for (Pipe* pipe : {&in, &out, &err}) pipe->theirs.Reset();
  conversation.in = std::move(in.ours);
  conversation.out = std::move(out.ours);
  conversation.err = std::move(err.ours);
  if (Result<void> ended = conversation.Collect(); !ended) {
    conversation.End();
    return std::move(ended).error();
  }
  return conversation.Outcome();
}

namespace {

constexpr int kWide = 1 << 20;  // the kernel's default limit for every user

}  // namespace

Result<OutputPipe> OutputPipe::Make() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return SystemError("pipe", errno);
  OutputPipe pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
  // Only our end: the flag belongs to the open file, and the other end is a different one.
  if (fcntl(pipe.ours(), F_SETFL, O_NONBLOCK) != 0) return SystemError("fcntl", errno);
  return pipe;
}

void OutputPipe::Widen() const { (void)fcntl(ours(), F_SETPIPE_SZ, kWide); }

OutputPipe::Piece OutputPipe::Read(char* buffer, std::size_t size) const {
  const ssize_t count = read(ours(), buffer, size);
  if (count > 0) return {{buffer, static_cast<std::size_t>(count)}};
  return {.bytes = {}, .ended = count == 0 || (errno != EAGAIN && errno != EINTR)};
}

namespace {

constexpr std::size_t kPiece = 16384;

}  // namespace

Result<std::unique_ptr<BackgroundProgram>> BackgroundProgram::Start(EventLoop& loop,
                                                                    const ProgramRequest& request,
                                                                    Callback callback) {
  BELAY_TRY_ASSIGN(OutputPipe output, OutputPipe::Make());
  auto process = Process::Spawn({.command = request.command,
                                 .folder = request.folder,
                                 .environment = request.environment,
                                 .output = output.theirs()});
  if (!process) return process.error().AsError();
  output.CloseTheirs();
  std::unique_ptr<BackgroundProgram> program(new BackgroundProgram(
      loop, request, *std::move(process), std::move(output), std::move(callback)));
  BELAY_TRY(program->WatchAll(request.limit));
  return program;
}

BackgroundProgram::BackgroundProgram(EventLoop& loop, const ProgramRequest& request,
                                     Process process, OutputPipe output, Callback callback)
    : loop_(loop),
      name_(request.command[0]),
      most_output_(request.most_output),
      process_(std::move(process)),
      output_(std::move(output)),
      callback_(std::move(callback)) {}

BackgroundProgram::~BackgroundProgram() {
  loop_.Unwatch(reading_);
  loop_.Unwatch(watching_);
  loop_.CancelTimer(timer_);
  if (ended_) return;
  (void)process_.SignalGroup(SIGKILL);
  (void)process_.Wait();
}

void BackgroundProgram::AskToEnd(Duration patience) {
  if (ended_) return;
  (void)process_.Signal(SIGTERM);
  ended_ = process_.WaitAtMost(patience).has_value();
  if (ended_) (void)process_.SignalGroup(SIGKILL);  // the processes that it left behind
}

Result<void> BackgroundProgram::WatchAll(Duration limit) {
  BELAY_TRY_ASSIGN(reading_, loop_.Watch(output_.ours(), Readiness::kReadable, [this] { Read(); }));
  BELAY_TRY_ASSIGN(watching_, loop_.WatchProcess(process_, [this] { Ended(); }));
  timer_ = loop_.StartTimer(limit, [this] {
    late_ = true;
    (void)process_.SignalGroup(SIGKILL);
  });
  return {};
}

void BackgroundProgram::Read() {
  char piece[kPiece];
  const auto [bytes, ended] = output_.Read(piece, sizeof(piece));
  if (ended) return loop_.Unwatch(reading_);
  const std::size_t room = most_output_ - std::min(most_output_, result_.out.size());
  const std::size_t kept = std::min(bytes.size(), room);
  result_.out.append(piece, kept);
  result_.cut = result_.cut || kept < bytes.size();
}

// Everything it printed before it ended is in the pipe by now; its children that hold the other end
// aren't waited for.
void BackgroundProgram::Ended() {
  const std::optional<ExitStatus> status = process_.TryWait();
  if (!status) return;
  ended_ = true;
  result_.exit_code = status->code();
  loop_.Unwatch(reading_);
  std::size_t before = 0;
  do {
    before = result_.out.size();
    Read();
  } while (result_.out.size() != before);
  Finish();
}

void BackgroundProgram::Finish() {
  loop_.CancelTimer(timer_);
  Result<ProgramResult> outcome = std::move(result_);
  if (late_) {
    outcome = Error{ErrorCode::kFailed, fmt::format("{}: it took too long", name_)};
  }
  const Callback callback = std::move(callback_);
  callback(std::move(outcome));
}

}  // namespace belay
