// Runs at every tool call of every agent, and may not keep it waiting, nor harm it: no lock, no
// sync, no configuration, and exit code 0 whatever happens. Only the first event of a session that
// was started without belay records more, and gives up at once if somebody has the lock.

#include <fmt/core.h>

#include "adapters/claude/events.h"
#include "base/utf8.h"
#include "cli/commands/commands.h"
#include "cli/hook_event.h"
#include "cli/hook_probe.h"
#include "guardian/register_session.h"

namespace belay {
namespace {

// So that it shows also where no guardian runs, which would do it otherwise. Nobody is waited for.
void Register(Services& services, const Layout& project, const IdentityName& agent) {
  const SuperviseSettings settings;
  const SessionDoors doors{services.files, services.clock, services.random, services.programs,
                           project,        settings,       Duration::zero()};
  (void)RegisterSession(doors, agent);
}

// What a successor is told besides its prompt, which may have been compacted away.
std::string Answer(const Services& services, std::string_view name) {
  const std::optional<std::string> agent = services.environment.Get("BELAY_AGENT_ID");
  const std::optional<std::string> text = services.environment.Get("BELAY_RESUME_FILE");
  if (name != "SessionStart" || !agent || !text || !AgentId::Parse(*agent)) return {};
  const std::string context =
      fmt::format("You work under belay as {}. What you were told at your start is in the file {}.",
                  *agent, ReplaceInvalidUtf8(*text));
  const Json answer = MakeObject(
      {{"hookSpecificOutput",
        MakeObject({{"hookEventName", "SessionStart"}, {"additionalContext", context}})}});
  return WriteJson(answer, JsonStyle::kCompact) + "\n";
}

}  // namespace

Result<int> RunEvent(const Invocation& invocation, Services& services) {
  const std::string& name = invocation.operands().front();
  const Result<std::string> input = services.io.read_in(kMostHookInput);
  if (!input && input.error().code == ErrorCode::kUsage) {
    return Error{ErrorCode::kUsage, "event: " + input.error().message,
                 "it is for an agent's hook; belay init --agent claude installs it"};
  }
  if (services.environment.Get(kProbeVariable)) {
    services.io.out += std::string(kProbeAnswer) + "\n";
    return 0;
  }
  if (FindClaudeEvent(name) == nullptr || !input) return 0;
  const Result<std::optional<RecordedEvent>> recorded =
      RecordHookEvent(invocation, services, name, *input);
  if (!recorded) services.io.ShowError(recorded.error());
  const bool external = recorded && *recorded && (*recorded)->event.agent.empty();
  if (external && name == "SessionStart") {
    Register(services, (*recorded)->project, (*recorded)->agent);
  }
  services.io.out += Answer(services, name);
  return 0;
}

}  // namespace belay
