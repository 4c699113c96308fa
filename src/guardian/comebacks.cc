// From a crash to the successor: when it may come, and the steps that bring it.

#include <fmt/core.h>

#include "guardian/guardian.h"
#include "guardian/respawn.h"

namespace belay {
namespace {

constexpr auto kExecLimit = std::chrono::seconds(5);  // for an exec to end after its agent

// The same for every step of it: so one is under way at a time.
std::string RespawnChore(const AgentId& agent) { return "respawn " + agent.text(); }

}  // namespace

void Guardian::AttendCrashed(Ward& ward, const Identity& identity) {
  ward.end_reported = false;
  ward.ending_until.reset();
  TellOfEnd(ward, identity);
  const Result<Found> found = FindOut(doors_, identity);
  if (found && found->truth == Truth::kRuns && !IsToStop(identity)) {
    return Adopt(ward, *found->run);
  }
  // Its exec, if it had the time, has ended them.
  const bool by_exec = found && found->run && found->run->state != RunState::kRunning;
  if (!by_exec || ward.exec_killed || cold_) EndOrphans(ward);
  if (!ward.captured) {
    snapshots_.Hurry(ward.id.identity());
    if (!ward.capturing) Capture(ward, fmt::format("{} crashed", identity.id.text()));
    if (!ward.captured) return;
  }
  if (!identity.restart.due || IsToStop(identity)) return;
  // After its agent it has little to do. It holds the lock that its successor's exec needs.
  const bool names_exec = found && found->run && found->run->state != RunState::kFailed;
  if (names_exec) (void)WatchExec(ward, found->run->parent);
  if (ward.exec.runs() && ward.captured_at + kExecLimit > loop_.Now()) {
    return AttendLater(ward, kExecLimit);
  }
  if (ward.exec.runs()) return RecordWait(ward, identity);
  // By our own clock from here on: the wall clock may be set.
  if (ward.due != identity.restart.due) {
    ward.due = identity.restart.due;
    ward.due_at = loop_.Now() + TimeUntil(identity.restart, doors_.clock.Wall());
  }
  if (ward.due_at > loop_.Now()) return AttendLater(ward, ward.due_at - loop_.Now());
  chores_.AddFirst(RespawnChore(identity.id), [this, id = identity.id] { BringBack(id); });
}

void Guardian::BringBack(const AgentId& crashed) {
  const SessionLedgers ledgers{identities_, hooks_, taints_};
  StepOfRespawn(std::make_shared<Respawn>(doors_, ledgers, crashed));
}

void Guardian::StepOfRespawn(const std::shared_ptr<Respawn>& respawn) {
  const AgentId& crashed = respawn->crashed();
  const Result<Respawn::Progress> progress = respawn->Step();
  if (!progress) return RespawnFailed(crashed, progress.error());
  switch (*progress) {
    case Respawn::Progress::kNotNeeded:
      return StopIfDone();
    case Respawn::Progress::kGoesOn:
      return chores_.AddFirst(RespawnChore(crashed), [this, respawn] { StepOfRespawn(respawn); });
    case Respawn::Progress::kReady:
      break;
  }
  const Identity& next = respawn->next();
  Say(crashed, fmt::format("is followed by {}", next.id.text()));
  LaunchWard(WardOf(next), next);
  RenderHookSoon(crashed.identity());
  RenderSoon(taints_.RenderJobs());
  AttendChanged();  // others may have written meanwhile
}

void Guardian::RespawnFailed(const AgentId& crashed, const Error& error) {
  if (const std::string why = WhyNeverBack(crashed, error); !why.empty()) {
    return GiveUpRespawn(crashed, why);
  }
  const auto ward = wards_.find(crashed.identity());
  if (ward == wards_.end()) return;
  const std::string why = fmt::format("can't be brought back yet: {}", error.message);
  if (why != ward->second.trouble) Note(crashed, why);
  ward->second.trouble = why;
  TryAgainLater(ward->second, error);
}

}  // namespace belay
