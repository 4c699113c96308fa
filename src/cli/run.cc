#include "cli/run.h"

#include "app/settings.h"
#include "cli/authorize.h"
#include "cli/commands/commands.h"
#include "cli/invocation.h"
#include "ui/width.h"

namespace belay {
namespace {

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

}  // namespace

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

}  // namespace belay
