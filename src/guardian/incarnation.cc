#include "guardian/incarnation.h"

#include <fmt/core.h>

#include "engine/supervise/resume_text.h"
#include "guardian/end.h"
#include "guardian/lease.h"
#include "host/launch.h"
#include "ledger/hook_ledger.h"
#include "ledger/taint_ledger.h"
#include "store/durable_file.h"

namespace belay {
namespace {

// What all incarnations of an agent have in common, and what the one before left.
struct Origin {
  std::string task;
  Environment::Variables environment;
  const Identity* predecessor;  // nothing for the first
  std::optional<AgentId> spawned_by = {};
};

Result<Taint> BeginTaint(const SessionDoors& doors, TaintLedger& ledger, const Identity& next,
                         const Origin& origin) {
  BELAY_TRY_ASSIGN(const StateLock lock,
                   TaintLedger::Lock(doors.files, doors.project, doors.lock_limit));
  std::optional<std::string> before;
  if (origin.predecessor != nullptr) before = origin.predecessor->id.text();
  BELAY_TRY_ASSIGN(Taint taint, ledger.Begin(lock, next.id.text(), before));
  if (origin.spawned_by) {
    BELAY_TRY_ASSIGN(taint, ledger.Begin(lock, next.id.text(), origin.spawned_by->text()));
  }
  return taint;
}

std::string FirstLine(const std::string& text) { return text.substr(0, text.find('\n')); }

Hook FirstHook(const Identity& next, const Origin& origin, WallTime now) {
  Hook hook{.identity = next.id.identity(), .incarnation = next.id.incarnation()};
  hook.current_bead = next.bead_id;
  hook.current_node = next.node_id;
  hook.work_summary = FirstLine(origin.task);
  hook.phase_history = {{WorkPhase::kInvestigation, now, next.id.incarnation(), "spawn"}};
  return hook;
}

void InheritTaint(Hook& hook, const Taint& taint) {
  hook.tainted = taint.state == TaintState::kTainted;
  hook.taint_sources.clear();
  for (const TaintSource& source : taint.sources) hook.taint_sources.push_back(source.path);
}

Result<Hook> InheritHook(const SessionDoors& doors, HookLedger& ledger, const Identity& next,
                         const Origin& origin, const Taint& taint) {
  BELAY_TRY_ASSIGN(const StateLock lock,
                   HookLedger::Lock(doors.files, doors.project, doors.lock_limit));
  BELAY_TRY(ledger.CatchUp());
  const Hook* known = ledger.book().Find(next.id.identity());
  Hook hook = known != nullptr ? *known : FirstHook(next, origin, doors.clock.Wall());
  hook.incarnation = next.id.incarnation();
  if (!next.node_id.empty()) hook.current_node = next.node_id;
  if (!next.bead_id.empty()) hook.current_bead = next.bead_id;
  SetScope(hook, origin.task);
  InheritTaint(hook, taint);
  const std::string why = known != nullptr ? "inherited" : "a new agent";
  BELAY_TRY(ledger.Record(lock, known != nullptr ? "inherited" : "created", why, hook));
  return hook;
}

std::string TextFor(const SessionDoors& doors, const Identity& next, const Hook& hook,
                    const Origin& origin) {
  if (origin.predecessor == nullptr) return SpawnText(next, origin.task, doors.random);
  return ResumeText({.successor = next,
                     .hook = hook,
                     .end = origin.predecessor->exit,
                     .task = origin.task,
                     .reduced = WantsReducedText(next.restart)},
                    doors.random);
}

// The kernel takes no longer one, and programs take one that begins with a dash for an option.
bool FitsAsArgument(const std::string& text) {
  constexpr std::size_t kMostBytes = 100'000;
  return text.size() <= kMostBytes && !text.starts_with('-');
}

std::string PointTo(const SessionDoors& doors, const Identity& next) {
  return fmt::format("Read {} and do what it says.", doors.project.ResumeFile(next.id.identity()));
}

LaunchSpec SpecFor(const SessionDoors& doors, const Identity& next, const Origin& origin,
                   const std::string& text) {
  LaunchSpec spec{.agent = next.id,
                  .command = next.command,
                  .folder = next.worktree_path,
                  .environment = origin.environment,
                  .task = origin.task};
  spec.environment["BELAY_AGENT_ID"] = next.id.text();
  spec.environment["BELAY_STATE"] = doors.project.StateRoot();
  spec.environment["BELAY_RESUME_FILE"] = doors.project.ResumeFile(next.id.identity());
  // A new agent that wasn't given a task has nothing to be told but by the file.
  const bool says_something = origin.predecessor != nullptr || !origin.task.empty();
  if (!says_something) return spec;
  switch (ResumeViaFor(doors.settings, next.agent_kind)) {
    case ResumeVia::kFile:
      break;
    case ResumeVia::kArgument:
      spec.command.push_back(FitsAsArgument(text) ? text : PointTo(doors, next));
      break;
    case ResumeVia::kTyped:
      spec.typed = text;
      break;
  }
  return spec;
}

// Everything but the identity itself, which comes last: from then on it will be launched.
Result<Identity> MakeReady(const SessionDoors& doors, const SessionLedgers& ledgers, Identity next,
                           const Origin& origin) {
  BELAY_TRY_ASSIGN(const Taint taint, BeginTaint(doors, ledgers.taints, next, origin));
  BELAY_TRY_ASSIGN(const Hook hook, InheritHook(doors, ledgers.hooks, next, origin, taint));
  next.tainted = hook.tainted;
  next.context_fill.reset();
  const std::string text = TextFor(doors, next, hook, origin);
  BELAY_TRY(EnsureFolder(doors.files, doors.project.RunFolder()));
  BELAY_TRY(ReplaceFile(doors.files, doors.project.ResumeFile(next.id.identity()), text));
  BELAY_TRY(WriteLaunchSpec(doors.files, doors.project, SpecFor(doors, next, origin, text)));
  return next;
}

void StartAnew(const SessionDoors& doors, Identity& next) {
  const WallTime now = doors.clock.Wall();
  next.status = AgentStatus::kSpawning;
  next.process.reset();
  next.parent.reset();
  next.boot_id.clear();
  next.session_id.clear();
  next.created_at = next.last_seen = now;
  next.started_at.reset();
  next.last_activity.reset();
  next.exit.reset();
  next.intent.reset();
  next.spawn_deadline = now + doors.settings.spawn_deadline;
  next.restart.due.reset();
  next.restart.reason.clear();
  next.lease = OurLease(doors.files, doors.project);
}

Identity Successor(const SessionDoors& doors, const Identity& before) {
  Identity next = before;
  next.id = AgentId(before.id.identity(), before.id.incarnation() + 1);
  next.predecessor_id = before.id.text();
  StartAnew(doors, next);
  return next;
}

Identity FromRequest(const SessionDoors& doors, const NewAgent& agent, const Identity* before) {
  Identity next = before != nullptr ? Successor(doors, *before) : Identity{AgentId(agent.name, 1)};
  if (before == nullptr) StartAnew(doors, next);
  // A person starts it: what went wrong before isn't held against it.
  next.restart.crashes.clear();
  next.restart.failed_resumes = 0;
  next.host = AgentHost::kProcess;
  next.agent_kind = agent.kind;
  next.command = agent.command;
  next.worktree_path = agent.worktree;
  next.hook_path = doors.project.HookRendering(agent.name);
  if (!agent.node.empty()) next.node_id = agent.node;
  if (!agent.bead.empty()) next.bead_id = agent.bead;
  next.respawn = agent.respawn;
  if (agent.spawned_by) next.spawn_deadline = next.created_at;  // late at once: for the guardian
  return next;
}

Error Runs(const Identity& identity) {
  return {ErrorCode::kRefused, fmt::format("{} runs already", identity.id.text()),
          fmt::format("belay attach {0} shows it, belay stop {0} ends it",
                      identity.id.identity().text())};
}

// Whether another incarnation may follow this one.
Result<void> CheckHasEnded(const SessionDoors& doors, const Identity& present) {
  if (present.status == AgentStatus::kQuarantined) {
    return Error{ErrorCode::kRefused,
                 fmt::format("{} is quarantined: {}", present.id.text(), present.restart.reason),
                 fmt::format("belay release {} lifts that", present.id.identity().text())};
  }
  BELAY_TRY_ASSIGN(const Found found, FindOut(doors, present));
  switch (found.truth) {
    case Truth::kRuns:
      return Runs(present);
    case Truth::kStarting:
    case Truth::kEnding:
      return Error{ErrorCode::kBusy,
                   fmt::format("{} is just {}", present.id.text(),
                               found.truth == Truth::kStarting ? "starting" : "ending"),
                   "try again in a moment"};
    case Truth::kAbsent:
      if (present.status != AgentStatus::kSpawning) return {};
      return Error{ErrorCode::kRefused,
                   fmt::format("{} is recorded, and was not started yet", present.id.text()),
                   fmt::format("belay guard --once starts it, belay stop {} gives it up",
                               present.id.identity().text())};
    case Truth::kEnded:
    case Truth::kForeign:
      return {};
  }
  __builtin_unreachable();
}

Result<const Identity*> Predecessor(const SessionDoors& doors, IdentityLedger& ledger,
                                    const StateLock& lock, const IdentityName& name) {
  BELAY_TRY(ledger.CatchUp());
  if (ledger.book().Find(name) == nullptr) return nullptr;
  BELAY_TRY(SettleUnder(doors, ledger, lock, name));
  const Identity* present = ledger.book().Find(name);
  BELAY_TRY(CheckHasEnded(doors, *present));
  return present;
}

// They can be made anew at any time, so a failure is none.
void RenderAll(const SessionDoors& doors, const SessionLedgers& ledgers, const StateLock& lock,
               const IdentityName& name) {
  (void)ledgers.identities.Render(lock, name);
  const Result<StateLock> hooks = HookLedger::Lock(doors.files, doors.project, doors.lock_limit);
  if (hooks) (void)ledgers.hooks.Render(*hooks, name);
  const Result<StateLock> taints = TaintLedger::Lock(doors.files, doors.project, doors.lock_limit);
  if (taints) (void)ledgers.taints.Render(*taints);
}

}  // namespace

Result<Identity> PrepareSpawn(const SessionDoors& doors, const NewAgent& agent) {
  IdentityLedger ledger(doors.files, doors.clock, doors.project);
  HookLedger hooks(doors.files, doors.clock, doors.project);
  TaintLedger taints(doors.files, doors.clock, doors.project);
  const SessionLedgers ledgers{ledger, hooks, taints};
  BELAY_TRY_ASSIGN(const StateLock lock,
                   IdentityLedger::Lock(doors.files, doors.project, doors.lock_limit));
  BELAY_TRY_ASSIGN(const Identity* found, Predecessor(doors, ledger, lock, agent.name));
  std::optional<Identity> before;
  if (found != nullptr) before = *found;
  const Identity* predecessor = before ? &*before : nullptr;
  const Origin origin{agent.prompt, agent.environment, predecessor, agent.spawned_by};
  BELAY_TRY_ASSIGN(Identity next,
                   MakeReady(doors, ledgers, FromRequest(doors, agent, predecessor), origin));
  const std::string by = agent.spawned_by ? agent.spawned_by->text() : "a person";
  BELAY_TRY(ledger.Record(lock, IdentityChange{"spawning", "asked for by " + by, next}));
  RenderAll(doors, ledgers, lock, agent.name);
  return next;
}

Result<std::optional<Identity>> PrepareRespawn(const SessionDoors& doors,
                                               const SessionLedgers& ledgers,
                                               const AgentId& crashed) {
  IdentityLedger& ledger = ledgers.identities;
  BELAY_TRY_ASSIGN(const StateLock lock,
                   IdentityLedger::Lock(doors.files, doors.project, doors.lock_limit));
  BELAY_TRY(ledger.CatchUp());
  const Identity* present = ledger.book().Find(crashed.identity());
  const bool due = present != nullptr && present->id == crashed &&
                   present->status == AgentStatus::kCrashed && present->restart.due &&
                   !IsToStop(*present);
  if (!due) return std::optional<Identity>();
  const Identity before = *present;
  BELAY_TRY_ASSIGN(const Found found, FindOut(doors, before));
  if (found.truth == Truth::kRuns || found.truth == Truth::kForeign) {
    return std::optional<Identity>();
  }
  BELAY_TRY_ASSIGN(LaunchSpec last, ReadLaunchSpec(doors.files, doors.project, crashed.identity()));
  Identity next = Successor(doors, before);
  ++next.restart.restarts;
  const Origin origin{std::move(last.task), std::move(last.environment), &before};
  BELAY_TRY_ASSIGN(next, MakeReady(doors, ledgers, std::move(next), origin));
  const std::string why = fmt::format("brought back after {}", before.id.text());
  BELAY_TRY(ledger.Record(lock, IdentityChange{"spawning", why, next}));
  return std::optional<Identity>(std::move(next));
}

Result<Process> Launch(const SessionDoors& doors, const Identity& identity) {
  return StartExec(doors.project, identity.id);
}

}  // namespace belay
