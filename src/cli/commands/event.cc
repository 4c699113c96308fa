// Runs at every tool call of every agent, and may not keep it waiting, nor harm it: no lock, no
// sync, no configuration, and exit code 0 whatever happens. Only the first event of a session that
// was started without belay records more, in a process of its own that nobody waits for.

#include "adapters/claude/events.h"
#include "cli/commands/commands.h"
#include "cli/delivery.h"
#include "cli/hook_event.h"
#include "cli/hook_probe.h"
#include "cli/session_context.h"
#include "cli/settings_guard.h"
#include "guardian/register_session.h"

namespace belay {
namespace {

// So that it shows also where no guardian runs, which would do it otherwise.
void Register(Services& services, const Layout& project, const IdentityName& agent) {
  const SuperviseSettings settings;
  const SessionDoors doors{services.files,    services.clock, services.random,
                           services.programs, project,        settings};
  (void)RegisterSession(doors, agent);
}

std::string Answer(const Services& services, const RecordedEvent& recorded) {
  if (recorded.event.name != "SessionStart") return {};
  const std::string context = SessionContext(services, recorded);
  if (context.empty()) return {};
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
  if (!recorded || !*recorded) return 0;
  const AgentEvent& event = (*recorded)->event;
  const bool refused = IsEditOfSettings(services.files, (*recorded)->project, event);
  services.io.out += refused ? RefusalOfEdit() : Answer(services, **recorded);
  if (!refused && CarriesMessages(name, services.environment)) {
    const auto is_nested = [&] { return IsNested(event); };
    const Result<bool> delivered = DeliverMessages(services, **recorded, is_nested);
    if (!delivered) services.io.ShowError(delivered.error());
  }
  const bool begins = event.agent.empty() && name == "SessionStart";
  if (begins && services.io.go_on_in_background()) {
    Register(services, (*recorded)->project, (*recorded)->agent);
  }
  return 0;
}

}  // namespace belay
