#include "cli/hook_event.h"

#include <fmt/core.h>

#include <charconv>

#include "cli/settings.h"
#include "engine/events/hook_digest.h"
#include "engine/events/session_name.h"
#include "ledger/event_log.h"
#include "os/proc_stat.h"
#include "os/process_identity.h"
#include "os/this_process.h"

namespace belay {
namespace {

// Whether we were started by that process, or by one that it started. The first process of all is
// above everybody.
bool IsAbove(pid_t pid) {
  constexpr int kMostSteps = 16;
  Result<pid_t> above = ParentOf(static_cast<pid_t>(ThisProcess()));
  for (int steps = 0; above && *above > 1 && steps < kMostSteps; ++steps) {
    if (*above == pid) return true;
    above = ParentOf(*above);
  }
  return false;
}

// The program whose hook this is says so; without it, it isn't known.
void AddProcess(const Services& services, AgentEvent& event) {
  const std::string text = services.environment.Get("CLAUDE_PID").value_or("");
  pid_t pid = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), pid);
  if (end.ec != std::errc() || end.ptr != text.data() + text.size() || pid <= 0) return;
  const Result<ProcStat> stat = ReadProcStat(pid);
  if (!stat || !IsAbove(pid)) return;
  event.pid = pid;
  event.pid_start = stat->start_time;
}

// An agent of belay's, or one that was started without it and is named after its conversation.
std::optional<IdentityName> NameOf(const Services& services, AgentEvent& event) {
  const std::optional<std::string> claim = services.environment.Get("BELAY_AGENT_ID");
  if (!claim) return NameOfSession(event.session);
  const Result<AgentId> id = AgentId::Parse(*claim);
  const bool ours = id && id->identity().role() != "guardian" &&
                    id->identity().role() != "runner" && id->identity().role() != kExternalRole;
  if (!ours) return std::nullopt;
  event.agent = id->text();
  return id->identity();
}

}  // namespace

Result<std::optional<RecordedEvent>> RecordHookEvent(const Invocation& invocation,
                                                     Services& services, std::string_view name,
                                                     const std::string& input) {
  BELAY_TRY_ASSIGN(const std::optional<Layout> project, ProjectIfAny(invocation, services));
  if (!project) return std::nullopt;
  HookDigest digest = DigestHook(name, input);
  AgentEvent& event = digest.event;
  event.at = services.clock.Wall();
  AddProcess(services, event);
  const std::optional<IdentityName> agent = NameOf(services, event);
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
