#include "app/incarnation.h"

#include <fmt/core.h>

#include "app/agent_end.h"
#include "app/launch_files.h"
#include "app/messages.h"
#include "app/session_place.h"
#include "host/host.h"
#include "store/durable_file.h"

namespace belay {
namespace {

void ResetForStart(const SessionEnv& env, Identity& next) {
  const WallTime now = env.clock.Wall();
  next.status = AgentStatus::kSpawning;
  next.process.reset();
  next.parent.reset();
  next.boot_id.clear();
  next.session_id.clear();
  next.context_fill.reset();
  next.created_at = next.last_seen = now;
  next.started_at.reset();
  next.last_activity.reset();
  next.exit.reset();
  next.intent.reset();
  next.spawn_deadline = now + env.settings.spawn_deadline;
  next.restart.due.reset();
  next.restart.reason.clear();
  next.lease = OurLease(env.files, env.project);
}

// The name may have been used before.
Identity WithNewTask(const SessionEnv& env, const IdentityName& name, const Identity* before) {
  Identity next{AgentId(name, before != nullptr ? before->id.incarnation() + 1 : 1)};
  if (before != nullptr) {
    next.predecessor_id = before->id.text();
    next.unknown = before->unknown;
  }
  ResetForStart(env, next);
  return next;
}

Identity FromRequest(const SessionEnv& env, const NewAgent& agent, const Identity* before) {
  const bool continues = agent.continues && before != nullptr;
  Identity next = continues ? SuccessorOf(env, *before) : WithNewTask(env, agent.name, before);
  // A person starts it: earlier crashes no longer count.
  next.restart.crashes.clear();
  next.restart.failed_resumes = 0;
  next.host = agent.host;
  next.agent_kind = agent.kind;
  next.kind_source = agent.kind_source;
  next.command = agent.command;
  next.worktree_path = agent.worktree;
  next.hook_path = env.project.HookRendering(agent.name);
  if (!agent.node.empty()) next.node_id = agent.node;
  if (!agent.bead.empty()) next.bead_id = agent.bead;
  next.respawn = agent.respawn;
  next.deadline = agent.deadline;
  if (agent.spawned_by) next.spawn_deadline = next.created_at;  // overdue: for the guardian
  return next;
}

Error Runs(const Identity& identity) {
  return {ErrorCode::kRefused, fmt::format("{} is already running", identity.id.text()),
          fmt::format("belay attach {0} shows it, belay stop {0} ends it",
                      identity.id.identity().text())};
}

// Whether another incarnation may follow this one. Ends the processes that this one left. A
// quarantine is for the old task: a person may start a new task under the name.
Result<void> CheckHasEnded(const SessionEnv& env, const Identity& present, const NewAgent& agent) {
  const bool new_task = !agent.continues && !agent.spawned_by;
  if (present.status == AgentStatus::kQuarantined && !new_task) {
    return Error{
        ErrorCode::kRefused,
        fmt::format("{} is quarantined: {}", present.id.text(), present.restart.reason),
        fmt::format(
            "belay release {} continues it; belay spawn without --continue starts a new task",
            present.id.identity().text())};
  }
  BELAY_TRY_ASSIGN(const ProbeResult found, ProbeRun(env, present));
  switch (found.actual) {
    case ActualState::kRuns:
      return Runs(present);
    case ActualState::kStarting:
    case ActualState::kEnding:
      return Error{ErrorCode::kBusy,
                   fmt::format("{} is just {}", present.id.text(),
                               found.actual == ActualState::kStarting ? "starting" : "ending"),
                   "try again in a moment"};
    case ActualState::kAbsent:
      if (present.status != AgentStatus::kSpawning) return {};
      return Error{ErrorCode::kRefused,
                   fmt::format("{} is recorded, but hasn't started yet", present.id.text()),
                   fmt::format("belay guard --once starts it, belay stop {} cancels it",
                               present.id.identity().text())};
    case ActualState::kEnded:
      // Its exec was killed too: its leftover processes would run beside the next incarnation.
      if (found.run && !IsAlive(found.run->parent)) (void)EndLeftovers(env, present);
      return {};
    case ActualState::kForeign:
      return {};
  }
  __builtin_unreachable();
}

Result<const Identity*> Predecessor(const SessionEnv& env, IdentityLedger& ledger,
                                    const IdentityLock& lock, const NewAgent& agent) {
  const IdentityName& name = agent.name;
  BELAY_TRY(ledger.CatchUp());
  if (ledger.book().Find(name) == nullptr) return nullptr;
  BELAY_TRY(FinalizeLocked(env, ledger, lock, name));
  const Identity* present = ledger.book().Find(name);
  BELAY_TRY(CheckHasEnded(env, *present, agent));
  return present;
}

// For `belay why`.
std::string WhyStarted(const NewAgent& agent, const Identity* before,
                       const std::string& conversation) {
  std::string by =
      fmt::format("requested by {}", agent.spawned_by ? agent.spawned_by->text() : "a person");
  if (before == nullptr) return by;
  const bool lifted = before->status == AgentStatus::kQuarantined;
  if (!agent.continues) {
    return fmt::format("a new task{}, {}",
                       lifted ? ", which ends the quarantine of the previous one" : "", by);
  }
  return fmt::format("continues {}{}{}, {}", before->id.text(), conversation.empty() ? "" : ", ",
                     conversation, by);
}

// They can be rendered again at any time, so a failure doesn't matter.
void RenderAll(const SessionEnv& env, const SessionLedgers& ledgers, const IdentityLock& lock,
               const IdentityName& name) {
  (void)ledgers.identities.Render(lock, name);
  const Result<HookLock> hooks = HookLedger::Lock(env.files, env.project, env.lock_limit);
  if (hooks) (void)ledgers.hooks.Render(*hooks, name);
  const Result<TaintLock> taints = TaintLedger::Lock(env.files, env.project, env.lock_limit);
  if (taints) (void)ledgers.taints.Render(*taints);
}

// An agent that started too late was recorded as crashed.
bool MayRun(const Identity& present) {
  return IsRunning(present.status) ||
         (present.status == AgentStatus::kCrashed && !StopIsRequested(present));
}

}  // namespace

Identity SuccessorOf(const SessionEnv& env, const Identity& before) {
  Identity next = before;
  next.id = AgentId(before.id.identity(), before.id.incarnation() + 1);
  next.predecessor_id = before.id.text();
  ResetForStart(env, next);
  return next;
}

Error NothingToContinue(const IdentityName& name) {
  return {ErrorCode::kNotFound, fmt::format("no agent {} to continue", name.text()),
          fmt::format("belay spawn --role {} --name {} -- COMMAND starts a new task", name.role(),
                      name.name())};
}

Result<PreparedAgent> PrepareSpawn(const SessionEnv& env, const NewAgent& agent) {
  IdentityLedger ledger(env.files, env.clock, env.project);
  HookLedger hooks(env.files, env.clock, env.project);
  TaintLedger taints(env.files, env.clock, env.project);
  const SessionLedgers ledgers{ledger, hooks, taints};
  BELAY_TRY_ASSIGN(const IdentityLock lock,
                   IdentityLedger::Lock(env.files, env.project, env.lock_limit));
  BELAY_TRY_ASSIGN(const Identity* found, Predecessor(env, ledger, lock, agent));
  if (found != nullptr && agent.spawned_by) {
    return Error{ErrorCode::kRefused,
                 fmt::format("{} already exists, and an agent may only start new agents",
                             found->id.identity().text()),
                 "choose another --name; only a person may start it again"};
  }
  if (found == nullptr && agent.continues) return NothingToContinue(agent.name);
  std::optional<Identity> before;
  if (found != nullptr) before = *found;
  const Identity* predecessor = before ? &*before : nullptr;
  const Origin origin{agent.prompt, agent.environment, predecessor, agent.spawned_by,
                      agent.continues};
  BELAY_TRY(EnsureFolder(env.files, env.project.RunFolder()));
  Identity next = FromRequest(env, agent, predecessor);
  std::optional<LaunchFiles> launch;
  std::optional<TaintLock> taint;
  while (!taint) {
    BELAY_TRY_ASSIGN(const Hook hook, RecordInheritance(env, ledgers, next, origin));
    next.tainted = hook.tainted;
    BELAY_TRY_ASSIGN(launch, WriteLaunchFiles(env, next, hook, origin));
    next.session_id = launch->session_id;
    BELAY_TRY_ASSIGN(taint, LockTaint(env, ledgers, next, origin, hook));
  }
  std::size_t dropped = 0;
  if (before && !agent.continues) {
    BELAY_TRY_ASSIGN(dropped, DropMessages(env, *before, "a new task was started under this name"));
  }
  BELAY_TRY(ledger.Record(
      lock,
      IdentityChange{"spawning", WhyStarted(agent, predecessor, launch->conversation), next}));
  RecordResumed(env, next, launch->messages);
  (void)OfferMessages(env, next);  // if it fails, the guardian or the next send does it
  taint.reset();
  RenderAll(env, ledgers, lock, agent.name);
  return PreparedAgent{std::move(next), dropped};
}

Result<Process> Launch(const SessionEnv& env, const Identity& identity) {
  return HostOf(identity.host).Launch(env.project, identity.id);
}

Result<bool> RecordStart(const SessionEnv& env, IdentityLedger& ledger, const IdentityLock& lock,
                         const RunRecord& run) {
  BELAY_TRY(ledger.CatchUp());
  const Identity* present = ledger.book().Find(run.agent.identity());
  if (present == nullptr || present->id != run.agent || !MayRun(*present)) return false;
  Identity alive = *present;
  alive.status = AgentStatus::kAlive;
  alive.process = ProcessMark{run.process->pid, run.process->start_time};
  alive.parent = ProcessMark{run.parent.pid, run.parent.start_time};
  alive.boot_id = run.process->boot_id;
  alive.started_at = run.started_at;
  alive.last_seen = env.clock.Wall();
  alive.last_activity = alive.last_seen;
  alive.spawn_deadline.reset();
  alive.exit.reset();
  alive.restart.due.reset();
  alive.restart.reason.clear();
  const std::string why = fmt::format("running, pid {}", run.process->pid);
  BELAY_TRY(ledger.Record(lock, IdentityChange{"alive", why, std::move(alive)}));
  return true;
}

}  // namespace belay
