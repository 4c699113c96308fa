#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <new>
#include <span>
#include <string_view>
#include <vector>

#include "app/settings.h"
#include "cli/authorize.h"
#include "cli/commands/commands.h"
#include "cli/invocation.h"
#include "cli/services.h"
#include "os/fd.h"
#include "os/real_event_loop.h"
#include "os/terminal.h"
#include "os/this_process.h"
#include "ui/width.h"

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
  if (IsTerminal(STDIN_FILENO)) return Error{ErrorCode::kUsage, "standard input is a terminal"};
  std::string text;
  const int failed = ReadToEndWithin(STDIN_FILENO, limit, kInputLimit, text);
  if (failed != 0 && failed != ETIME) {
    return Error{ErrorCode::kFailed, "can't read standard input"};
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

// The user's configuration of colour. A configuration with mistakes is ignored here: the commands
// that depend on it report them.
bool ColourIsUnwanted(const Services& services) {
  const Result<std::optional<Layout>> project = ProjectIfAny(services);
  if (!project) return false;
  const auto sources = ConfigSources(services, *project);
  if (!sources) return false;
  const Result<Config> config = Accept(ReadConfig(*sources));
  return config && config->Text("ui.color") == "never";
}

void DropColour(Io& io) {
  io.screen.style.color = false;
  io.err_screen.style.color = false;
}

Result<int> Run(const Invocation& invocation, Services& services) {
  Io& io = services.io;
  io.quiet = invocation.Has("--quiet");
  services.root = invocation.Value("--root");
  services.config = invocation.Value("--config");
  services.say = [&io](std::string_view line) {
    io.Say(Printable(line));
    (void)io.Flush();  // the user wants it now; if nothing reads it, the work continues
  };
  const bool coloured = io.screen.style.color || io.err_screen.style.color;
  const bool unwanted = invocation.Has("--no-color") || (coloured && ColourIsUnwanted(services));
  if (unwanted) DropColour(io);
  if (invocation.Has("--help")) return RunHelp(invocation, services);
  BELAY_TRY(Authorize(invocation, services));
  return invocation.command().run(invocation, services);
}

// Parses the command line, runs it, and puts its outcome or its error into `services.io`. Returns
// the exit code.
int RunCommandLine(std::span<const std::string_view> arguments, Services& services) {
  // What new users try first.
  constexpr std::string_view kVersion[] = {"version"};
  const bool asks_version = arguments.size() == 1 && arguments[0] == "--version";
  if (asks_version) arguments = kVersion;
  services.io.json = AsksForJson(arguments);
  const Result<Invocation> invocation = Invocation::Parse(Commands(), arguments);
  const Result<int> outcome =
      invocation ? Run(*invocation, services) : Result<int>(invocation.error());
  if (outcome) return *outcome;
  services.io.ShowError(outcome.error());
  return ExitCode(outcome.error().code);
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
