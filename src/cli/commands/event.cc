// Runs at every tool call of every agent, and may not keep it waiting, nor harm it: no lock, no
// sync, no configuration, and exit code 0 whatever happens. Only the first event of a session that
// was started without belay records more, in a process of its own that nobody waits for.

#include <fmt/core.h>

#include "adapters/claude/events.h"
#include "adapters/claude/process_above.h"
#include "base/utf8.h"
#include "cli/commands/commands.h"
#include "cli/delivery.h"
#include "cli/hook_event.h"
#include "cli/hook_probe.h"
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

bool IsNested(const AgentEvent& event) {
  std::vector<ProcessAbove> above;
  for (const ProcessMark& one : event.above) {
    above.push_back({static_cast<pid_t>(one.pid), one.start});
  }
  return event.pid != 0 &&
         RunsInsideAnother(above, {static_cast<pid_t>(event.pid), event.pid_start});
}

// What a successor is told besides its prompt, which may have been compacted away. Others that it
// starts itself inherit its name, and aren't it.
std::string Answer(const Services& services, const AgentEvent& event) {
  const std::optional<std::string> text = services.environment.Get("BELAY_RESUME_FILE");
  if (event.name != "SessionStart" || event.agent.empty() || !text || IsNested(event)) return {};
  const std::string context =
      fmt::format("You work under belay as {}. What you were told at your start is in the file {}.",
                  event.agent, ReplaceInvalidUtf8(*text));
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
  services.io.out += refused ? RefusalOfEdit() : Answer(services, event);
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
