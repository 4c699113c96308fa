#include "guardian/start.h"

#include <fmt/core.h>

namespace belay {
namespace {

// One that came up late was recorded as crashed.
bool MayRun(const Identity& present) {
  return IsRunning(present.status) ||
         (present.status == AgentStatus::kCrashed && !IsToStop(present));
}

}  // namespace

Result<bool> RecordStart(const SessionDoors& doors, IdentityLedger& ledger, const StateLock& lock,
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
  alive.last_seen = doors.clock.Wall();
  alive.last_activity = alive.last_seen;
  alive.spawn_deadline.reset();
  alive.exit.reset();
  alive.restart.due.reset();
  alive.restart.reason.clear();
  const std::string why = fmt::format("it runs, pid {}", run.process->pid);
  BELAY_TRY(ledger.Record(lock, IdentityChange{"alive", why, std::move(alive)}));
  return true;
}

}  // namespace belay
