#include "cli/agent_stopper.h"

#include <fmt/core.h>

#include "os/file_lock.h"
#include "os/process_tree.h"
#include "os/signals.h"
#include "os/this_process.h"
#include "store/durable_file.h"

namespace belay {
namespace {

constexpr Duration kBetweenKills = std::chrono::milliseconds(100);
constexpr int kMostKills = 50;
// With `now`, for what can't be killed: an exec that is about to go.
constexpr Duration kNowGrace = std::chrono::seconds(2);
// Each try waits for the lock, then lets others have their turn.
constexpr Duration kLockWait = std::chrono::milliseconds(200);
constexpr Duration kBetweenTries = std::chrono::milliseconds(50);
constexpr int kMostLockTries = 12;

}  // namespace

Result<void> AgentStopper::Stop(bool now) {
  now_ = now;
  kills_left_ = kMostKills;
  lock_tries_left_ = kMostLockTries;
  BELAY_TRY(EnsureFolder(doors_.files, doors_.project.RunFolder()));
  BELAY_TRY(loop_.WatchFolder(doors_.project.RunFolder(), [this](const FolderEvent&) { Look(); }));
  (void)loop_.StartTimer(now_ ? kNowGrace : doors_.settings.stop_grace, [this] { Kill(); });
  Look();
  if (!finished_) loop_.Run();
  return outcome_;
}

void AgentStopper::Finish(Result<void> outcome) {
  outcome_ = std::move(outcome);
  finished_ = true;
  loop_.Stop();
}

void AgentStopper::Look() {
  if (finished_) return;
  const Result<void> looked = TryLook();
  if (!looked) Finish(looked.error());
}

Result<void> AgentStopper::TryLook() {
  BELAY_TRY_ASSIGN(const Found found, FindOut(doors_, identity_));
  if (found.run) Meet(*found.run);
  switch (found.truth) {
    case Truth::kRuns:
      Ask();
      return {};
    case Truth::kStarting:
    case Truth::kEnding:
      if (now_) Kill();
      return {};
    case Truth::kAbsent:
      return ForbidStart();
    case Truth::kEnded:
    case Truth::kForeign:
      // Its exec ends those that it left, and goes when they are gone.
      if (exec_ && found.run && IsAlive(found.run->parent)) return {};
      Finish({});
      return {};
  }
  __builtin_unreachable();
}

// Whoever wants to start it takes the lock and reads the run record, which is of this incarnation
// then: so it starts nothing.
Result<void> AgentStopper::ForbidStart() {
  const IdentityName& name = identity_.id.identity();
  const Result<File> lock =
      OpenLocked(doors_.files, doors_.project.RunLock(name), kPrivateFile, kLockWait);
  if (!lock && lock.error().code == ErrorCode::kBusy) {
    WaitForLock();
    return {};
  }
  if (!lock) return lock.error();
  BELAY_TRY_ASSIGN(const Found found, FindOut(doors_, identity_));
  if (found.truth != Truth::kAbsent) {
    loop_.Post([this] { Look(); });
    return {};
  }
  BELAY_TRY_ASSIGN(ProcessIdentity self, IdentityOf(static_cast<pid_t>(ThisProcess())));
  const WallTime now = doors_.clock.Wall();
  BELAY_TRY(WriteRunRecord(doors_.files, doors_.project,
                           {.agent = identity_.id,
                            .state = RunState::kFailed,
                            .parent = std::move(self),
                            .started_at = now,
                            .ended_at = now,
                            .error = "it was stopped before it was started"}));
  Finish({});
  return {};
}

// Mostly it is its exec, which will say more; but that it lets go of the lock is no event.
void AgentStopper::WaitForLock() {
  if (waits_for_lock_) return;
  if (lock_tries_left_-- == 0) {
    return Finish(
        Error{ErrorCode::kBusy,
              fmt::format("somebody keeps the lock of {}, which isn't running: {}",
                          identity_.id.text(), doors_.project.RunLock(identity_.id.identity())),
              "that it should stop is recorded; fuser names who has the file open"});
  }
  waits_for_lock_ = true;
  (void)loop_.StartTimer(kBetweenTries, [this] {
    waits_for_lock_ = false;
    Look();
  });
}

void AgentStopper::Meet(const RunRecord& run) {
  run_ = run;
  Follow(exec_, run.parent);
  if (run.process) Follow(agent_, *run.process);
}

void AgentStopper::Follow(std::optional<Process>& process, const ProcessIdentity& identity) {
  if (process) return;
  Result<Process> opened = Process::Open(identity);
  if (!opened) return;
  process = *std::move(opened);
  const Result<WatchId> watch = loop_.WatchProcess(*process, [this] { Look(); });
  if (!watch) Finish(watch.error());
}

// The group is led by the agent, which so is told once.
void AgentStopper::Ask() {
  if (now_) return Kill();
  if (asked_ || !agent_) return;
  asked_ = true;
  if (!agent_->SignalGroup(kSignalTerminate)) (void)agent_->Signal(kSignalTerminate);
  // One that is stopped would not hear it.
  (void)agent_->SignalGroup(kSignalContinue);
}

void AgentStopper::Kill() {
  if (killed_ || finished_) return;
  killed_ = true;
  KillAgain();
}

// The agent first, by its pidfd, then its group and all who descend from its exec, again and again:
// those who are being ended may start others.
void AgentStopper::KillAgain() {
  if (finished_) return;
  if (kills_left_-- == 0) return GiveUp();
  if (agent_) {
    (void)agent_->Signal(kSignalKill);
    (void)agent_->SignalGroup(kSignalKill);
  }
  const Result<ProcessTree> tree = ProcessTree::Read();
  // One that hasn't started the agent yet would still do so.
  if (exec_ && run_->state == RunState::kStarting) (void)exec_->Signal(kSignalKill);
  const bool has_exec = tree && run_ && IsAlive(run_->parent);
  if (has_exec) {
    for (const SeenProcess& seen : tree->Descendants(run_->parent.pid)) {
      const Result<Process> process =
          Process::Open({seen.pid, seen.stat.start_time, run_->parent.boot_id});
      if (process) (void)process->Signal(kSignalKill);
    }
  }
  Look();
  (void)loop_.StartTimer(kBetweenKills, [this] { KillAgain(); });
}

void AgentStopper::GiveUp() {
  const Result<Found> found = FindOut(doors_, identity_);
  if (found && found->truth == Truth::kEnded) return Finish({});
  Finish(Error{ErrorCode::kFailed, fmt::format("{} can't be ended", identity_.id.text()),
               "that it should stop is recorded; belay agents shows its pid"});
}

}  // namespace belay
