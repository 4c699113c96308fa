#include <unistd.h>

#include <string_view>
#include <vector>

#include "cli/run.h"
#include "os/current_folder.h"
#include "os/io.h"
#include "os/terminal.h"

namespace belay {
namespace {

Screen ScreenOf(int fd, const Environment& environment) {
  if (!IsTerminal(fd)) return {};
  const std::string term = environment.Get("TERM").value_or("dumb");
  const bool color = !environment.Get("NO_COLOR") && term != "dumb";
  return {TerminalColumns(fd).value_or(80), Style{color}};
}

// The last word of a command is that its output arrived.
int Write(Io& io, int exit_code) {
  (void)WriteAll(STDERR_FILENO, io.err);
  const int error = WriteAll(STDOUT_FILENO, io.out);
  if (error == 0) return exit_code;
  io.err.clear();
  io.json = false;
  io.ShowError(SystemError("write standard output", error));
  (void)WriteAll(STDERR_FILENO, io.err);
  return ExitCode(ErrorCode::kFailed);
}

int Main(std::vector<std::string_view> arguments) {
  const Environment environment = Environment::OfThisProcess();
  RealFileCalls calls;
  FileSystem files(calls);
  PosixPrograms programs;
  Io io{ScreenOf(STDOUT_FILENO, environment), ScreenOf(STDERR_FILENO, environment)};
  Services services{files, programs, environment, ProbeKernel, CurrentFolder(), io};
  const int exit_code = RunCommandLine(arguments, services);
  return Write(io, exit_code);
}

}  // namespace
}  // namespace belay

int main(int argc, char** argv) {
  return belay::Main(std::vector<std::string_view>(argv + (argc > 0 ? 1 : 0), argv + argc));
}
