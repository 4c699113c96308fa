// Runs at every tool call of every agent, and may neither delay nor harm it: no lock, no sync, no
// configuration, and exit code 0 whatever happens. Only the first event of a session that was
// started without belay records more, in a process of its own that is not waited for.

#include "app/hook_event.h"
#include "cli/commands/commands.h"

namespace belay {

Result<int> RunEvent(const Invocation& invocation, Services& services) {
  const std::string& name = invocation.operands().front();
  const Result<std::string> input = services.io.read_in(kMostHookInput);
  if (!input && input.error().code == ErrorCode::kUsage) {
    return Error{ErrorCode::kUsage, "event: " + input.error().message,
                 "agents call it as a hook; belay init --agent claude installs the hooks"};
  }
  if (services.environment.Get(kProbeVariable)) {
    services.io.out += std::string(kProbeAnswer) + "\n";
    return 0;
  }
  const std::optional<NamedEvent> what = FindEvent(name);
  if (!what || !input) return 0;
  const auto answer = [&](std::string_view text) {
    services.io.out += text;
    return services.io.Flush();
  };
  const Result<void> handled =
      HandleHookEvent(services, {name, *what, *input, answer, services.io.go_on_in_background});
  if (!handled) services.io.ShowError(handled.error());
  return 0;
}

}  // namespace belay
