#include "app/stop.h"

#include <fmt/core.h>

#include <optional>

#include "app/agent_end.h"
#include "app/agent_worktree.h"
#include "app/launch_files.h"
#include "app/session_place.h"
#include "app/snapshots.h"
#include "engine/supervise/restart_policy.h"
#include "os/event_loop.h"
#include "os/file_lock.h"
#include "os/process.h"
#include "os/this_process.h"
#include "store/durable_file.h"

namespace belay {
namespace {

constexpr Duration kBetweenKills = std::chrono::milliseconds(100);
constexpr int kMostKills = 50;
// With `now`, for an exec that can't be killed because it is about to exit.
constexpr Duration kNowGrace = std::chrono::seconds(2);
// Each try waits for the lock, then lets other processes have their turn.
constexpr Duration kLockWait = std::chrono::milliseconds(200);
constexpr Duration kBetweenTries = std::chrono::milliseconds(50);
constexpr int kMostLockTries = 12;

// Ends an agent whose stop was recorded: TERM to it and its process group, a grace, then KILL to
// its whole tree, until it and its `belay exec` are gone. Records nothing itself.
//
//   found out              then
//   --------------------   -----------------------------------------------------------------
//   it runs                signal it, wait for its end
//   its exec is starting   wait until it runs
//   its exec is ending     wait until that is gone, so that its last processes are gone too
//   it never started       a run record that says so, which keeps it from being started
//   it has ended           done
class AgentStopper {
 public:
  AgentStopper(EventLoop& loop, const SessionEnv& session, Identity identity)
      : loop_(loop), session_(session), identity_(std::move(identity)) {}

  // With `now` there is no grace. kFailed when it is still there after all that; kBusy when another
  // process keeps the lock under which it could be started.
  Result<void> Stop(bool now);
  // Whether it had to be killed.
  bool killed() const { return killed_; }

 private:
  void Check();
  Result<void> TryCheck();
  Result<void> ForbidStart();
  void WaitForLock();
  void NoteRun(const RunRecord& run);
  void Follow(std::optional<Process>& process, const ProcessIdentity& identity);
  void Ask();
  void Kill();
  void KillAgain();
  void GiveUp();
  void Finish(Result<void> outcome);

  EventLoop& loop_;
  SessionEnv session_;
  Identity identity_;
  std::optional<Process> agent_ = {};
  std::optional<Process> exec_ = {};
  std::optional<RunRecord> run_ = {};
  bool now_ = false;
  bool asked_ = false;
  bool killed_ = false;
  int kills_left_ = 0;
  int lock_tries_left_ = 0;
  bool waits_for_lock_ = false;
  Result<void> outcome_ = {};
  bool finished_ = false;
};

Result<void> AgentStopper::Stop(bool now) {
  now_ = now;
  kills_left_ = kMostKills;
  lock_tries_left_ = kMostLockTries;
  BELAY_TRY(EnsureFolder(session_.files, session_.project.RunFolder()));
  BELAY_TRY(
      loop_.WatchFolder(session_.project.RunFolder(), [this](const FolderEvent&) { Check(); }));
  (void)loop_.StartTimer(now_ ? kNowGrace : session_.settings.stop_grace, [this] { Kill(); });
  Check();
  if (!finished_) loop_.Run();
  return outcome_;
}

void AgentStopper::Finish(Result<void> outcome) {
  outcome_ = std::move(outcome);
  finished_ = true;
  loop_.Stop();
}

void AgentStopper::Check() {
  if (finished_) return;
  const Result<void> checked = TryCheck();
  if (!checked) Finish(checked.error());
}

Result<void> AgentStopper::TryCheck() {
  BELAY_TRY_ASSIGN(const ProbeResult found, ProbeRun(session_, identity_));
  if (found.run) NoteRun(*found.run);
  switch (found.actual) {
    case ActualState::kRuns:
      Ask();
      return {};
    case ActualState::kStarting:
    case ActualState::kEnding:
      if (now_) Kill();
      return {};
    case ActualState::kAbsent:
      return ForbidStart();
    case ActualState::kEnded:
    case ActualState::kForeign:
      // Its exec ends the processes that the agent left, and exits when they are gone.
      if (exec_ && found.run && IsAlive(found.run->parent)) return {};
      Finish({});
      return {};
  }
  __builtin_unreachable();
}

// A process that wants to start the agent takes the lock and reads the run record, which then
// belongs to this incarnation, so it starts nothing.
Result<void> AgentStopper::ForbidStart() {
  const IdentityName& name = identity_.id.identity();
  const Result<File> lock =
      OpenLocked(session_.files, session_.project.RunLock(name), kPrivateFile, kLockWait);
  if (!lock && lock.error().code == ErrorCode::kBusy) {
    WaitForLock();
    return {};
  }
  if (!lock) return lock.error();
  BELAY_TRY_ASSIGN(const ProbeResult found, ProbeRun(session_, identity_));
  if (found.actual != ActualState::kAbsent) {
    loop_.Post([this] { Check(); });
    return {};
  }
  BELAY_TRY_ASSIGN(ProcessIdentity self, IdentityOf(static_cast<pid_t>(ThisProcess())));
  const WallTime now = session_.clock.Wall();
  BELAY_TRY(WriteRunRecord(session_.files, session_.project,
                           {.agent = identity_.id,
                            .state = RunState::kFailed,
                            .parent = std::move(self),
                            .started_at = now,
                            .ended_at = now,
                            .error = "it was stopped before it started"}));
  Finish({});
  return {};
}

// Usually its exec holds the lock and will write more; but no event announces that it is released.
void AgentStopper::WaitForLock() {
  if (waits_for_lock_) return;
  if (lock_tries_left_-- == 0) {
    return Finish(
        Error{ErrorCode::kBusy,
              fmt::format("{} isn't running, but another process holds its lock: {}",
                          identity_.id.text(), session_.project.RunLock(identity_.id.identity())),
              "the stop is recorded; fuser shows which process has the file open"});
  }
  waits_for_lock_ = true;
  (void)loop_.StartTimer(kBetweenTries, [this] {
    waits_for_lock_ = false;
    Check();
  });
}

void AgentStopper::NoteRun(const RunRecord& run) {
  run_ = run;
  Follow(exec_, run.parent);
  if (run.process) Follow(agent_, *run.process);
}

void AgentStopper::Follow(std::optional<Process>& process, const ProcessIdentity& identity) {
  if (process) return;
  Result<Process> opened = Process::Open(identity);
  if (!opened) return;
  process = *std::move(opened);
  const Result<WatchId> watch = loop_.WatchProcess(*process, [this] { Check(); });
  if (!watch) Finish(watch.error());
}

void AgentStopper::Ask() {
  if (now_) return Kill();
  if (asked_ || !agent_) return;
  asked_ = true;
  (void)HostOf(identity_.host).End(*run_, Force::kAsk);
}

void AgentStopper::Kill() {
  if (killed_ || finished_) return;
  killed_ = true;
  KillAgain();
}

// Repeated: the processes that are being ended may start others.
void AgentStopper::KillAgain() {
  if (finished_) return;
  if (kills_left_-- == 0) return GiveUp();
  if (run_) (void)HostOf(identity_.host).End(*run_, Force::kKill);
  Check();
  (void)loop_.StartTimer(kBetweenKills, [this] { KillAgain(); });
}

void AgentStopper::GiveUp() {
  const Result<ProbeResult> found = ProbeRun(session_, identity_);
  if (found && found->actual == ActualState::kEnded) return Finish({});
  Finish(Error{ErrorCode::kFailed, fmt::format("{} could not be killed", identity_.id.text()),
               "the stop is recorded; belay agents shows its pid"});
}

Result<void> CheckMayBeStopped(const Identity& identity) {
  const std::string id = identity.id.text();
  const std::string name = identity.id.identity().text();
  const HostFacts& facts = FactsOf(identity.host);
  if (!facts.launched) {
    return Error{ErrorCode::kRefused, fmt::format("{} {}", id, facts.not_ours),
                 std::string(facts.end_hint)};
  }
  if (identity.status == AgentStatus::kTerminated) {
    return Error{ErrorCode::kNotFound, fmt::format("nothing to do: {} has already ended", id),
                 fmt::format("belay why {} shows how", name)};
  }
  return {};
}

IdentityChange StopAsked(const SessionEnv& session, const Identity& present,
                         const std::string& by) {
  Identity asked = present;
  asked.intent = Intent{"stop", by, session.clock.Wall()};
  return {"stop", fmt::format("requested by {}", DisplayName(by)), std::move(asked)};
}

// It doesn't run, and will not be restarted.
IdentityChange GivenUp(const SessionEnv& session, const Identity& present, const std::string& by) {
  IdentityChange change = StopAsked(session, present, by);
  change.kind = AgentStatusName(AgentStatus::kTerminated);
  change.why = fmt::format("requested by {} when it was {}", DisplayName(by),
                           AgentStatusName(present.status));
  change.identity.status = AgentStatus::kTerminated;
  change.identity.restart.due.reset();
  change.identity.restart.reason.clear();
  return change;
}

// Durable before anything is done about it, so that its end counts as intended.
Result<Identity> RecordStop(const SessionEnv& session, IdentityLedger& ledger,
                            const IdentityName& name, const std::string& by) {
  BELAY_TRY_ASSIGN(const IdentityLock lock, IdentityLedger::Lock(session.files, session.project));
  BELAY_TRY_ASSIGN(const Identity present, FinalizeLocked(session, ledger, lock, name));
  BELAY_TRY(CheckMayBeStopped(present));
  if (IsRunning(present.status) && StopIsRequested(present)) return present;
  IdentityChange change =
      IsRunning(present.status) ? StopAsked(session, present, by) : GivenUp(session, present, by);
  BELAY_TRY(ledger.Record(lock, change));
  (void)ledger.Render(lock, name);
  return change.identity;
}

// A failed snapshot doesn't prevent the stop.
void KeepStopped(Env& env, const Layout& project, std::string_view when,
                 StopAgentOutcome& stopped) {
  if (!project.InRepository()) return;
  const std::string message = fmt::format("{} {} was stopped", when, stopped.identity.id.text());
  const Result<SnapshotTakeOutcome> now = TakeSnapshotOf(env, project, stopped.identity, message);
  if (now && now->taken.is_new) stopped.snapshots.push_back(now->taken.snapshot.id.text());
  if (now) return;
  stopped.warnings.push_back(
      fmt::format("could not save its work {} the stop: {}", when, now.error().message));
  env.say(stopped.warnings.back());
}

Result<void> EndIt(Env& env, const SessionEnv& session, bool now, StopAgentOutcome& stopped) {
  BELAY_TRY_ASSIGN(const std::unique_ptr<EventLoop> loop, env.make_loop());
  AgentStopper stopper(*loop, session, stopped.identity);
  Result<void> outcome = stopper.Stop(now);
  stopped.killed = stopper.killed();
  return outcome;
}

// It runs, or belay can't start it again.
Error NothingToRelease(const SessionEnv& session, const Identity& identity) {
  const std::string name = identity.id.identity().text();
  const HostFacts& facts = FactsOf(identity.host);
  if (!facts.launched) {
    return {ErrorCode::kNotFound, fmt::format("nothing to do: {} {}", name, facts.not_ours),
            std::string(facts.start_hint)};
  }
  return {
      ErrorCode::kNotFound,
      fmt::format("nothing to do: {} is {}", identity.id.text(), AgentStatusName(identity.status)),
      IsRunning(identity.status)
          ? fmt::format("belay why {} shows what happened to it", name)
          : SpawnAgainCommand(session.files, session.project, identity) + " starts it again"};
}

// For an agent that has ended, in whatever way, if belay started it, and here.
bool MayBeReleased(const SessionEnv& session, const Identity& identity) {
  return !IsRunning(identity.status) && FactsOf(identity.host).launched &&
         IsOurs(identity, OurLease(session.files, session.project));
}

IdentityChange ReleaseOf(const SessionEnv& session, const Identity& present,
                         const std::string& by) {
  Identity released = present;
  released.status = AgentStatus::kCrashed;  // the status that the guardian restarts
  released.intent.reset();
  released.restart = Released(present.restart, session.clock.Wall());
  // One that has passed would stop the successor at once.
  if (released.deadline && *released.deadline <= session.clock.Wall()) released.deadline.reset();
  const bool ended = present.status == AgentStatus::kTerminated;
  if (ended) released.restart.reason = "it had ended and is continued";
  return {"released",
          fmt::format("{}requested by {}", ended ? "it had ended and is continued, " : "",
                      DisplayName(by)),
          std::move(released)};
}

// What its successor can continue from. A script has no conversation, and a conversation may be
// lost.
bool KeepsConversation(const SessionEnv& session, const Identity& released) {
  HookLedger hooks(session.files, session.clock, session.project);
  const Result<void> read = hooks.CatchUp();
  const Hook* hook = hooks.book().Find(released.id.identity());
  return read && hook != nullptr && WouldContinueConversation(session, released, *hook);
}

Result<ReleaseAgentOutcome> RecordRelease(const SessionEnv& session, IdentityLedger& ledger,
                                          const IdentityName& name, const std::string& by) {
  BELAY_TRY_ASSIGN(const IdentityLock lock, IdentityLedger::Lock(session.files, session.project));
  BELAY_TRY_ASSIGN(const Identity present, FinalizeLocked(session, ledger, lock, name));
  if (!MayBeReleased(session, present)) return NothingToRelease(session, present);
  BELAY_TRY(CheckHasWorktree(session, present));
  const IdentityChange change = ReleaseOf(session, present, by);
  // Checked before the release is recorded: after that a guardian may start the successor at any
  // moment.
  const bool same_conversation = KeepsConversation(session, change.identity);
  BELAY_TRY(ledger.Record(lock, change));
  (void)ledger.Render(lock, name);
  return ReleaseAgentOutcome{change.identity, same_conversation};
}

}  // namespace

Result<StopAgentOutcome> StopAgent(Env& env, const StopAgentRequest& request) {
  BELAY_TRY_ASSIGN(const SessionPlace place,
                   FindSessionPlace(env, VaultUse::kWrite, Mistakes::kWarn));
  const SessionEnv session = place.MakeEnv(env);
  IdentityLedger ledger(env.files, env.clock, place.project);
  BELAY_TRY_ASSIGN(const IdentityName name, FindAgent(ledger, request.agent));
  BELAY_TRY_ASSIGN(Identity identity, RecordStop(session, ledger, name, env.caller->Name()));
  StopAgentOutcome stopped{.identity = std::move(identity), .warnings = place.warnings};
  stopped.ran = IsRunning(stopped.identity.status);
  if (stopped.ran) {
    if (!request.now) KeepStopped(env, place.project, "before", stopped);
    BELAY_TRY(EndIt(env, session, request.now, stopped));
    BELAY_TRY_ASSIGN(stopped.identity, Finalize(session, ledger, name));
  }
  KeepStopped(env, place.project, "after", stopped);
  return stopped;
}

Result<ReleaseAgentOutcome> ReleaseAgent(Env& env, const ReleaseAgentRequest& request) {
  BELAY_TRY_ASSIGN(const SessionPlace place,
                   FindSessionPlace(env, VaultUse::kWrite, Mistakes::kWarn));
  const SessionEnv session = place.MakeEnv(env);
  IdentityLedger ledger(env.files, env.clock, place.project);
  BELAY_TRY_ASSIGN(const IdentityName name, FindAgent(ledger, request.agent));
  BELAY_TRY_ASSIGN(ReleaseAgentOutcome released,
                   RecordRelease(session, ledger, name, env.caller->Name()));
  released.guarded = GuardianRuns(env.files, place.project, ledger.book());
  return released;
}

}  // namespace belay
