#include "os/background_program.h"

#include <fmt/core.h>

#include <algorithm>
#include <csignal>
#include <utility>

namespace belay {
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
  if (ended_) (void)process_.SignalGroup(SIGKILL);  // whom it left
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

// What it printed before it ended is in the pipe by now; children of its own that hold the other
// end aren't waited for.
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
