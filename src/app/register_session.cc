#include "app/register_session.h"

#include "app/end.h"
#include "app/incarnation.h"
#include "app/outfit.h"
#include "app/session_place.h"
#include "ledger/event_log.h"
#include "os/process_identity.h"
#include "store/repository.h"

namespace belay {
namespace {

// The last event that tells which process it is.
std::optional<AgentEvent> LastWithProcess(const SessionDoors& doors, const IdentityName& name) {
  std::optional<AgentEvent> found;
  for (AgentEvent& event : LastEvents(doors.files, doors.project, name)) {
    if (event.agent.empty() && event.pid != 0) found = std::move(event);
  }
  return found;
}

// The worktree of this repository that it works in.
std::optional<std::string> WorktreeOf(const SessionDoors& doors, const std::string& folder) {
  const Result<Repository> there = FindRepository(doors.files, folder);
  const Result<Repository> ours = FindRepository(doors.files, doors.project.Root());
  const bool same = there && ours && there->common_folder == ours->common_folder;
  return same ? std::optional(there->worktree) : std::nullopt;
}

Identity NewIdentity(const SessionDoors& doors, const IdentityName& name, const Identity* before) {
  Identity next = before != nullptr ? SuccessorOf(doors, *before) : Identity{AgentId(name, 1)};
  const WallTime now = doors.clock.Wall();
  next.created_at = next.last_seen = now;
  next.last_activity = now;
  next.status = AgentStatus::kAlive;
  next.spawn_deadline.reset();
  next.host = AgentHost::kExternal;
  next.kind_source = KindSource::kHooks;
  next.respawn = false;
  next.hook_path = doors.project.HookRendering(name);
  next.lease = OurLease(doors.files, doors.project);
  return next;
}

bool IsSameProcess(const Identity& identity, const ProcessIdentity& process) {
  return identity.boot_id == process.boot_id &&
         identity.process == ProcessMark{process.pid, process.start_time};
}

// A program that begins another conversation (as by /clear) has left the one before: one process is
// one session.
std::vector<IdentityChange> EndsOfEarlier(const SessionDoors& doors, const IdentityBook& book,
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
    ended.exit = AgentExit{.cause = ExitCause::kClean, .at = doors.clock.Wall()};
    changes.push_back({"terminated", "it went on as " + next.id.text(), std::move(ended)});
  }
  return changes;
}

}  // namespace

Result<bool> RegisterSession(const SessionDoors& doors, const IdentityName& name) {
  const std::optional<AgentEvent> event = LastWithProcess(doors, name);
  if (!event) return false;
  BELAY_TRY_ASSIGN(const std::string boot_id, BootId());
  const ProcessIdentity process{static_cast<pid_t>(event->pid), event->pid_start, boot_id};
  if (!IsAlive(process)) return false;
  const std::optional<std::string> worktree = WorktreeOf(doors, event->folder);
  if (!worktree) return false;
  IdentityLedger identities(doors.files, doors.clock, doors.project);
  HookLedger hooks(doors.files, doors.clock, doors.project);
  TaintLedger taints(doors.files, doors.clock, doors.project);
  BELAY_TRY_ASSIGN(const IdentityLock lock,
                   IdentityLedger::Lock(doors.files, doors.project, doors.lock_limit));
  BELAY_TRY(identities.CatchUp());
  if (identities.book().Find(name) != nullptr) {
    BELAY_TRY_ASSIGN(const Identity settled, SettleUnder(doors, identities, lock, name));
    if (IsRunning(settled.status)) return false;
    // It ended while we waited for the lock.
    if (IsSameProcess(settled, process) || !IsAlive(process)) return false;
  }
  std::optional<Identity> before;
  if (const Identity* known = identities.book().Find(name)) before = *known;
  Identity next = NewIdentity(doors, name, before ? &*before : nullptr);
  next.process = ProcessMark{process.pid, process.start_time};
  next.boot_id = process.boot_id;
  next.started_at = next.created_at;
  next.worktree_path = *worktree;
  next.session_id = event->session;
  next.agent_kind = event->agent_kind;
  const Origin origin{
      .task = "", .environment = {}, .predecessor = before ? &*before : nullptr, .goes_on = true};
  BELAY_TRY_ASSIGN(const Hook hook,
                   PassOn(doors, SessionLedgers{identities, hooks, taints}, next, origin));
  next.tainted = hook.tainted;
  std::vector<IdentityChange> changes = EndsOfEarlier(doors, identities.book(), next);
  changes.push_back({"alive", "a session that was started without belay", next});
  BELAY_TRY(identities.Record(lock, changes));
  (void)identities.Render(lock, name);  // made anew at the next chance
  return true;
}

}  // namespace belay
