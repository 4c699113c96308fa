#include "app/register_session.h"

#include "app/agent_end.h"
#include "app/caller.h"
#include "app/incarnation.h"
#include "app/launch_files.h"
#include "app/session_place.h"
#include "ledger/event_log.h"
#include "os/process_identity.h"
#include "store/repository.h"

namespace belay {
namespace {

// The last event that names the process.
std::optional<AgentEvent> LastWithProcess(const SessionEnv& env, const IdentityName& name) {
  std::optional<AgentEvent> found;
  for (AgentEvent& event : LastEvents(env.files, env.project, name)) {
    if (event.agent.empty() && event.pid != 0) found = std::move(event);
  }
  return found;
}

// The session's worktree in this repository.
std::optional<std::string> WorktreeOf(const SessionEnv& env, const std::string& folder) {
  const Result<Repository> there = FindRepository(env.files, folder);
  const Result<Repository> ours = FindRepository(env.files, env.project.Root());
  const bool same = there && ours && there->common_folder == ours->common_folder;
  return same ? std::optional(there->worktree) : std::nullopt;
}

Identity NewIdentity(const SessionEnv& env, const IdentityName& name, const Identity* before) {
  Identity next = before != nullptr ? SuccessorOf(env, *before) : Identity{AgentId(name, 1)};
  const WallTime now = env.clock.Wall();
  next.created_at = next.last_seen = now;
  next.last_activity = now;
  next.status = AgentStatus::kAlive;
  next.spawn_deadline.reset();
  next.host = AgentHost::kExternal;
  next.kind_source = KindSource::kHooks;
  next.respawn = false;
  next.hook_path = env.project.HookRendering(name);
  next.lease = OurLease(env.files, env.project);
  return next;
}

// Any process can call a hook. What an agent, a gate or belay started is no session of its own.
bool IsStartedWithoutBelay(const SessionEnv& env, const IdentityBook& book, pid_t process) {
  const Result<Caller> starter = FindStarter(book, MarksOf(env.project), process);
  if (!starter) return false;
  const Identity* agent = starter->agent ? book.Find(starter->agent->identity()) : nullptr;
  return starter->IsPerson() || (agent != nullptr && !FactsOf(agent->host).named);
}

bool IsSameProcess(const Identity& identity, const ProcessIdentity& process) {
  return identity.boot_id == process.boot_id &&
         identity.process == ProcessMark{process.pid, process.start_time};
}

// A program that begins another conversation (as by /clear) has left the previous one: one process
// is one session.
std::vector<IdentityChange> EndsOfEarlier(const SessionEnv& env, const IdentityBook& book,
                                          const Identity& next) {
  std::vector<IdentityChange> changes;
  for (const auto& [name, entry] : book.entries()) {
    const Identity& other = entry.present;
    const bool left = !FactsOf(other.host).named && IsRunning(other.status) &&
                      name != next.id.identity() && other.process == next.process &&
                      other.boot_id == next.boot_id;
    if (!left) continue;
    Identity ended = other;
    ended.status = AgentStatus::kTerminated;
    ended.exit = AgentExit{.cause = ExitCause::kClean, .at = env.clock.Wall()};
    changes.push_back({"terminated", "it continued as " + next.id.text(), std::move(ended)});
  }
  return changes;
}

}  // namespace

Result<bool> RegisterSession(const SessionEnv& env, const IdentityName& name) {
  const std::optional<AgentEvent> event = LastWithProcess(env, name);
  if (!event) return false;
  BELAY_TRY_ASSIGN(const std::string boot_id, BootId());
  const ProcessIdentity process{static_cast<pid_t>(event->pid), event->pid_start, boot_id};
  if (!IsAlive(process)) return false;
  const std::optional<std::string> worktree = WorktreeOf(env, event->folder);
  if (!worktree) return false;
  IdentityLedger identities(env.files, env.clock, env.project);
  HookLedger hooks(env.files, env.clock, env.project);
  TaintLedger taints(env.files, env.clock, env.project);
  BELAY_TRY_ASSIGN(const IdentityLock lock,
                   IdentityLedger::Lock(env.files, env.project, env.lock_limit));
  BELAY_TRY(identities.CatchUp());
  if (!IsStartedWithoutBelay(env, identities.book(), process.pid)) return false;
  const Identity* known = identities.book().Find(name);
  // A conversation that ran in another pid namespace runs here now.
  if (known != nullptr && !IsOfAnotherNamespace(known->boot_id, boot_id)) {
    BELAY_TRY_ASSIGN(const Identity finalized, FinalizeLocked(env, identities, lock, name));
    if (IsRunning(finalized.status)) return false;
    // It ended while we waited for the lock.
    if (IsSameProcess(finalized, process) || !IsAlive(process)) return false;
  }
  std::optional<Identity> before;
  if (known = identities.book().Find(name); known != nullptr) before = *known;
  Identity next = NewIdentity(env, name, before ? &*before : nullptr);
  next.process = ProcessMark{process.pid, process.start_time};
  next.boot_id = process.boot_id;
  next.started_at = next.created_at;
  next.worktree_path = *worktree;
  next.session_id = event->session;
  next.agent_kind = event->agent_kind;
  const Origin origin{
      .task = "", .environment = {}, .predecessor = before ? &*before : nullptr, .goes_on = true};
  BELAY_TRY_ASSIGN(const Hook hook,
                   RecordInheritance(env, SessionLedgers{identities, hooks, taints}, next, origin));
  next.tainted = hook.tainted;
  std::vector<IdentityChange> changes = EndsOfEarlier(env, identities.book(), next);
  changes.push_back({"alive", "a session started without belay", next});
  BELAY_TRY(identities.Record(lock, changes));
  (void)identities.Render(lock, name);  // rendered again at the next chance
  return true;
}

}  // namespace belay
