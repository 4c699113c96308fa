// What blocks an agent's next step: an exec that doesn't end or would start too late, leftover
// processes, a lost launch file, a deleted worktree.

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "app/agent_worktree.h"
#include "guardian/guardian.h"
#include "host/launch.h"

namespace belay {
namespace {

constexpr auto kEndRecordedWithin = std::chrono::milliseconds(500);  // for an exec to record an end

}  // namespace

// An exec that we started is our child: no other process can reap it.
void Guardian::ReapLater(WatchedProcess exec) {
  if (!exec.runs()) return;
  const auto process = std::make_shared<Process>(*std::move(exec.process));
  (void)loop_.WatchProcess(*process, [process] { (void)process->TryWait(); });
}

// Forbids the start first: an exec that was paused and continues later must not start the agent.
void Guardian::GiveUpStart(AgentRuntime& runtime, const Identity& identity,
                           const ProbeResult& found) {
  const AgentEnd end = AgentEndOf(identity, found);
  const Result<bool> forbidden =
      ForbidStart(env_.files, env_.clock, env_.project, identity.id, end.detail);
  if (!forbidden) return TryAgainLater(runtime, forbidden.error());
  if (!*forbidden) return ReconcileLater(runtime, kEndRecordedWithin);
  AddEnd(runtime, end);
}

// Whether its exec still has time to record how it ended.
bool Guardian::WaitForExec(AgentRuntime& runtime) {
  const MonotonicTime now = loop_.Now();
  if (!runtime.ending_until) runtime.ending_until = now + kEndRecordedWithin;
  if (now >= *runtime.ending_until) return false;
  ReconcileLater(runtime, *runtime.ending_until - now);
  return true;
}

// Whether an agent is gone and its exec will record how in a moment. Until then no snapshot starts:
// it would take disk and processor time from more urgent work.
bool Guardian::AwaitsEnds() const {
  const MonotonicTime now = loop_.Now();
  return std::any_of(runtimes_.begin(), runtimes_.end(), [&](const auto& entry) {
    return entry.second.ending_until && now < *entry.second.ending_until;
  });
}

// Shown by `belay agents` and `belay why` while it lasts, since nothing else explains the delay. We
// are notified when that process ends.
void Guardian::RecordWait(AgentRuntime& runtime, const Identity& identity) {
  if (std::exchange(runtime.exec_noted, true)) return;
  const std::string why =
      fmt::format("waits for its belay exec (process {}) to end", runtime.exec.process->pid());
  if (identity.restart.reason == why) return;
  const Result<void> recorded =
      ChangeCrashed(runtime.id, why, [&](Identity& changed) { changed.restart.reason = why; });
  if (!recorded) runtime.exec_noted = false;
  if (!recorded) return TryAgainLater(runtime, recorded.error());
  Say(runtime.id, why);
}

// Without the file belay doesn't know the command to start. Waiting doesn't help.
bool Guardian::LacksLaunchFile(const AgentId& crashed) const {
  const Result<LaunchSpec> spec = ReadLaunchSpec(env_.files, env_.project, crashed.identity());
  return !spec &&
         (spec.error().code == ErrorCode::kNotFound || spec.error().code == ErrorCode::kDamaged);
}

// A problem that waiting doesn't solve, with what the person can do about it; empty: a retry may
// succeed. A deleted worktree is no crash of the agent: restarting it again and again would end in
// quarantine and hide the cause.
std::string Guardian::WhyNoRespawn(const AgentId& crashed, const Error& error) const {
  const IdentityName& name = crashed.identity();
  const Identity* present = identities_.book().Find(name);
  if (present != nullptr && LacksWorktree(env_.files, *present)) {
    return fmt::format(
        "can't be restarted: its worktree {} no longer exists; run {}, then belay release {}",
        present->worktree_path, RestoreWorktreeCommand(env_, *present), name.text());
  }
  if (!LacksLaunchFile(crashed)) return {};
  return fmt::format(
      "can't be restarted: {}; belay spawn --role {} --name {} -- COMMAND starts it again",
      error.message, name.role(), name.name());
}

void Guardian::GiveUpRespawn(const AgentId& crashed, const std::string& why) {
  std::optional<ExitCause> cause;
  const Result<void> recorded = ChangeCrashed(crashed, why, [&](Identity& changed) {
    changed.restart.due.reset();
    changed.restart.reason = why;
    cause = changed.exit ? changed.exit->cause : ExitCause::kUnknown;
  });
  AgentRuntime* const runtime = FindRuntime(crashed.identity());
  if (!recorded && runtime != nullptr) return TryAgainLater(*runtime, recorded.error());
  if (!cause) return;
  if (runtime != nullptr) runtime->person_notified = true;
  Say(crashed, why);
  NotifyPerson(SignalType::kAgentCrashed, MakeObject({{"agent_id", crashed.text()},
                                                      {"cause", ExitCauseName(*cause)},
                                                      {"reason", why}}));
}

// Only while that incarnation waits for its restart.
Result<void> Guardian::ChangeCrashed(const AgentId& crashed, const std::string& why,
                                     const std::function<void(Identity&)>& change) {
  BELAY_TRY_ASSIGN(const IdentityLock lock, LockIdentities());
  BELAY_TRY(identities_.CatchUp());
  const Identity* present = identities_.book().Find(crashed.identity());
  const bool waits = present != nullptr && present->id == crashed &&
                     present->status == AgentStatus::kCrashed && present->restart.due;
  if (!waits) return {};
  Identity changed = *present;
  change(changed);
  BELAY_TRY(identities_.Record(lock, IdentityChange{"crashed", why, std::move(changed)}));
  RenderSoon(crashed.identity());
  return {};
}

// Its exec was killed too and could not end the leftover processes, which would keep writing next
// to its successor.
void Guardian::EndOrphans(AgentRuntime& runtime) {
  if (runtime.orphans_ended || runtime.exec.runs()) return;
  runtime.orphans_ended = true;
  const Identity* identity = identities_.book().Find(runtime.id.identity());
  if (identity == nullptr || identity->id != runtime.id) return;
  const std::size_t ended = EndLeftovers(env_, *identity);
  // An earlier snapshot doesn't have what they wrote.
  if (ended > 0) runtime.captured = runtime.captures_end = false;
  if (ended == 1) Note(runtime.id, "ended a process that it left behind");
  if (ended > 1) Note(runtime.id, fmt::format("ended {} processes that it left behind", ended));
}

}  // namespace belay
