#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <new>
#include <string_view>
#include <vector>

#include "cli/run.h"
#include "os/fd.h"
#include "os/real_event_loop.h"
#include "os/terminal.h"
#include "os/this_process.h"

namespace belay {
namespace {

Screen ScreenOf(int fd, const Environment& environment) {
  if (!IsTerminal(fd)) return {};
  const std::string term = environment.Get("TERM").value_or("dumb");
  const bool color = !environment.Get("NO_COLOR") && term != "dumb";
  return {TerminalColumns(fd).value_or(80), Style{color}};
}

// A command succeeds only if its output was written.
int Finish(Io& io, int exit_code) {
  const Result<void> written = io.Flush();
  if (written) return exit_code;
  io.json = false;
  io.ShowError(written.error());
  (void)WriteAll(STDERR_FILENO, io.err);
  return ExitCode(ErrorCode::kFailed);
}

// Longer than an agent needs to write a hook's input, too short for a user to notice.
constexpr std::chrono::milliseconds kInputLimit{1500};

// The input of a hook, for which an agent waits: if it is never closed, what has come counts.
Result<std::string> ReadInput(std::size_t limit) {
  if (IsTerminal(STDIN_FILENO)) return Error{ErrorCode::kUsage, "the standard input is a terminal"};
  std::string text;
  const int failed = ReadToEndWithin(STDIN_FILENO, limit, kInputLimit, text);
  if (failed != 0 && failed != ETIME) {
    return Error{ErrorCode::kFailed, "the standard input can't be read"};
  }
  return text;
}

Result<std::unique_ptr<EventLoop>> MakeLoop() {
  BELAY_TRY_ASSIGN(std::unique_ptr<EventLoop> loop, RealEventLoop::Create());
  return loop;
}

// A command that an agent calls, where an exit code other than 0 would have a meaning. On a
// terminal it is a command like any other.
bool IsHook(const std::vector<std::string_view>& arguments) {
  const bool hook = !arguments.empty() && (arguments[0] == "event" || arguments[0] == "statusline");
  return hook && !IsTerminal(STDIN_FILENO);
}

int Main(std::vector<std::string_view> arguments) {
  if (IsHook(arguments)) {
    (void)std::signal(SIGPIPE, SIG_IGN);
    (void)std::signal(SIGXFSZ, SIG_IGN);
    std::set_new_handler([] { _exit(0); });  // no memory left: the agent must not notice
  }
  const Environment environment = Environment::OfThisProcess();
  const SystemClock clock;
  SystemRandom random;
  RealFileCalls calls;
  FileSystem files(calls);
  PosixPrograms programs;
  Io io{.screen = ScreenOf(STDOUT_FILENO, environment),
        .err_screen = ScreenOf(STDERR_FILENO, environment),
        .write_out = [](std::string_view text) { return WriteAll(STDOUT_FILENO, text); },
        .write_err = [](std::string_view text) { return WriteAll(STDERR_FILENO, text); },
        .read_in = ReadInput,
        .go_on_in_background = ForkIntoBackground};
  if (IsPipe(STDOUT_FILENO)) io.out_pipe = STDOUT_FILENO;
  Services services{
      {files, programs, environment, clock, random, MakeLoop, ProbeKernel, CurrentFolder()}, io};
  const int exit_code = Finish(io, RunCommandLine(arguments, services));
  return IsHook(arguments) ? 0 : exit_code;
}

}  // namespace
}  // namespace belay

int main(int argc, char** argv) {
  return belay::Main(std::vector<std::string_view>(argv + (argc > 0 ? 1 : 0), argv + argc));
}
