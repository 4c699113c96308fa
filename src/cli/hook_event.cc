#include "cli/hook_event.h"

#include <fmt/core.h>

#include "adapters/claude/process_above.h"
#include "cli/settings.h"
#include "engine/events/hook_digest.h"
#include "engine/events/session_name.h"
#include "host/launch.h"
#include "ledger/event_log.h"
#include "os/this_process.h"

namespace belay {
namespace {

constexpr std::size_t kMostAbove = 16;  // its shell, the program, its scripts, the exec: a handful

void AddProcesses(const Services& services, AgentEvent& event) {
  const std::vector<ProcessAbove> above =
      ProcessesAbove(static_cast<pid_t>(ThisProcess()), kMostAbove);
  for (const ProcessAbove& one : above) event.above.push_back({one.pid, one.start_time});
  const auto claude = ClaudeAbove(above, services.environment.Get("CLAUDE_PID"));
  if (!claude) return;
  event.pid = claude->pid;
  event.pid_start = claude->start_time;
}

std::optional<std::string> AgentAbove(const AgentEvent& event, const Layout& project) {
  for (const ProcessMark& one : event.above) {
    std::optional<std::string> agent = AgentOfExec(static_cast<pid_t>(one.pid), project);
    if (agent) return agent;
  }
  return std::nullopt;
}

// An agent of belay's, or one that was started without it and is named after its conversation. One
// whose command cleared its environment (env -i) is known by the `belay exec` above it.
std::optional<IdentityName> NameOf(const Services& services, const Layout& project,
                                   AgentEvent& event) {
  std::optional<std::string> claim = services.environment.Get("BELAY_AGENT_ID");
  if (!claim) claim = AgentAbove(event, project);
  if (!claim) return NameOfSession(event.session);
  const Result<AgentId> id = AgentId::Parse(*claim);
  const bool ours = id && id->identity().role() != "guardian" &&
                    id->identity().role() != "runner" && id->identity().role() != kExternalRole;
  if (!ours) return std::nullopt;
  event.agent = id->text();
  return id->identity();
}

// Whose hook it is says where its project is; where it stands just now may be another one.
Result<std::optional<Layout>> ProjectOf(const Invocation& invocation, const Services& services) {
  const std::optional<std::string> named = services.environment.Get("CLAUDE_PROJECT_DIR");
  if (!named || !named->starts_with('/')) return ProjectIfAny(invocation, services);
  Services there = services;
  there.current_folder = *named;
  return ProjectIfAny(invocation, there);
}

}  // namespace

Result<std::optional<RecordedEvent>> RecordHookEvent(const Invocation& invocation,
                                                     Services& services, std::string_view name,
                                                     const std::string& input) {
  BELAY_TRY_ASSIGN(const std::optional<Layout> project, ProjectOf(invocation, services));
  if (!project) return std::nullopt;
  HookDigest digest = DigestHook(name, input);
  AgentEvent& event = digest.event;
  event.at = services.clock.Wall();
  AddProcesses(services, event);
  const std::optional<IdentityName> agent = NameOf(services, *project, event);
  if (!digest.problem.empty()) {
    event.detail = "its input isn't understood";
    services.io.Say(fmt::format("{}: {}: {}", name, event.detail, digest.problem));
  }
  if (!agent) return std::nullopt;
  const Result<void> added = AppendEvent(services.files, *project, *agent, event);
  // Without a vault belay isn't used here.
  const bool unused = !added && added.error().code == ErrorCode::kNotFound;
  if (unused) return std::nullopt;
  if (!added) return added.error();
  return RecordedEvent{*project, *agent, std::move(event)};
}

}  // namespace belay
