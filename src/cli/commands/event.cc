// Runs at every tool call of every agent, and may not keep it waiting, nor harm it: no lock, no
// sync, no configuration, and exit code 0 whatever happens.

#include <fmt/core.h>

#include <charconv>

#include "adapters/claude/events.h"
#include "cli/commands/commands.h"
#include "cli/hook_probe.h"
#include "cli/settings.h"
#include "engine/events/hook_digest.h"
#include "engine/events/session_name.h"
#include "guardian/register_session.h"
#include "ledger/event_log.h"
#include "os/proc_stat.h"

namespace belay {
namespace {

constexpr std::size_t kMostInput = std::size_t{64} << 20U;

// The program whose hook this is says so; without it, it isn't known.
void AddProcess(const Services& services, AgentEvent& event) {
  const std::string text = services.environment.Get("CLAUDE_PID").value_or("");
  pid_t pid = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), pid);
  if (end.ec != std::errc() || end.ptr != text.data() + text.size() || pid <= 0) return;
  const Result<ProcStat> stat = ReadProcStat(pid);
  if (!stat) return;
  event.pid = pid;
  event.pid_start = stat->start_time;
}

// An agent of belay's, or one that was started without it and is named after its conversation.
std::optional<IdentityName> NameOf(const Services& services, AgentEvent& event) {
  const std::optional<std::string> claim = services.environment.Get("BELAY_AGENT_ID");
  if (!claim) return NameOfSession(event.session);
  const Result<AgentId> id = AgentId::Parse(*claim);
  if (!id) return std::nullopt;
  event.agent = id->text();
  return id->identity();
}

// So that it shows also where no guardian runs, which would do it otherwise. Nobody is waited for.
void Register(Services& services, const Layout& project, const IdentityName& agent) {
  const SuperviseSettings settings;
  const SessionDoors doors{services.files, services.clock, services.random, services.programs,
                           project,        settings,       Duration::zero()};
  (void)RegisterSession(doors, agent);
}

Result<void> Record(const Invocation& invocation, Services& services, std::string_view name,
                    const std::string& input) {
  BELAY_TRY_ASSIGN(const std::optional<Layout> project, ProjectIfAny(invocation, services));
  if (!project) return {};
  HookDigest digest = DigestHook(name, input);
  AgentEvent& event = digest.event;
  event.at = services.clock.Wall();
  AddProcess(services, event);
  const std::optional<IdentityName> agent = NameOf(services, event);
  if (!digest.problem.empty()) {
    event.detail = "its input isn't understood";
    services.io.Say(fmt::format("event {}: {}: {}", name, event.detail, digest.problem));
  }
  if (!agent) return {};
  const Result<void> added = AppendEvent(services.files, *project, *agent, event);
  if (added && event.agent.empty() && name == "SessionStart") Register(services, *project, *agent);
  // Without a vault belay isn't used here.
  const bool unused = !added && added.error().code == ErrorCode::kNotFound;
  return unused ? Result<void>() : added;
}

// What a successor is told besides its prompt, which may have been compacted away.
std::string Answer(const Services& services, std::string_view name) {
  const std::optional<std::string> agent = services.environment.Get("BELAY_AGENT_ID");
  const std::optional<std::string> text = services.environment.Get("BELAY_RESUME_FILE");
  if (name != "SessionStart" || !agent || !text || !AgentId::Parse(*agent)) return {};
  const std::string context =
      fmt::format("You work under belay as {}. What you were told at your start is in the file {}.",
                  *agent, *text);
  const Json answer = MakeObject(
      {{"hookSpecificOutput",
        MakeObject({{"hookEventName", "SessionStart"}, {"additionalContext", context}})}});
  return WriteJson(answer, JsonStyle::kCompact) + "\n";
}

}  // namespace

Result<int> RunEvent(const Invocation& invocation, Services& services) {
  const std::string& name = invocation.operands().front();
  const Result<std::string> input = services.io.read_in(kMostInput);
  if (!input && input.error().code == ErrorCode::kUsage) {
    return Error{ErrorCode::kUsage, "event: " + input.error().message,
                 "it is for an agent's hook; belay init --agent claude installs it"};
  }
  if (services.environment.Get(kProbeVariable)) {
    services.io.out += std::string(kProbeAnswer) + "\n";
    return 0;
  }
  if (FindClaudeEvent(name) == nullptr || !input) return 0;
  const Result<void> recorded = Record(invocation, services, name, *input);
  if (!recorded) services.io.ShowError(recorded.error());
  services.io.out += Answer(services, name);
  return 0;
}

}  // namespace belay
