// What the guardian does about an agent, by its recorded status:
//
// clang-format off
//   recorded                actual state                  next step
//   ---------------------   ---------------------------   -----------------------------------------------
//   spawning                it runs                       record that, watch it
//   spawning                it was never started          at our own start, or when it is late: launch it;
//                                                         if the second launch is late: record its end
//   spawning                its exec runs, but is late    end the exec, then record its end
//   spawning, running ...   it is gone                    record its end (agent_exits.cc)
//   running, suspect ...    it runs                       watch it, sample it (sampling.cc)
//   crashed                 it runs                       it started late: record that, watch it
//   crashed                                               save its work; restart it when it is due, its
//                                                         work is saved and its last process is gone
//   terminated, quarantined                               save its work once; nothing more
//   any                     it belongs to another copy    record that it has ended for us; never touch it
// clang-format on

#include <fmt/core.h>

#include "app/incarnation.h"
#include "app/session_place.h"
#include "guardian/guardian.h"

namespace belay {
namespace {

constexpr auto kEndingLimit = std::chrono::milliseconds(500);  // for an exec to record an end
constexpr auto kOthersEnd =
    std::chrono::seconds(5);  // after the grace, for the requester to end it
constexpr int kMostLaunches = 2;
constexpr int kMostDoublings = 6;

ProcessIdentity Named(const ProcessMark& mark, const std::string& boot_id) {
  return {static_cast<pid_t>(mark.pid), mark.start, boot_id};
}

}  // namespace

void Guardian::Reconcile(const IdentityName& name) {
  const Identity* found = identities_.book().Find(name);
  if (found == nullptr || !FactsOf(found->host).is_agent) return;
  // A copy, because reconciling changes the book.
  const Identity identity = *found;
  AgentRuntime& runtime = RuntimeOf(identity);
  if (!IsOurs(identity, lease_)) return ReconcileForeign(runtime, identity);
  // Neither taken up nor judged.
  if (IsRunning(identity.status) && !CheckInSight(env_.files, env_.project, identity)) return;
  if (!FactsOf(identity.host).launched) return ReconcileExternal(runtime, identity);
  switch (identity.status) {
    case AgentStatus::kSpawning:
      return ReconcileSpawning(runtime, identity);
    case AgentStatus::kAlive:
    case AgentStatus::kSuspect:
    case AgentStatus::kWaiting:
    case AgentStatus::kHandingOff:
      return ReconcileRunning(runtime, identity);
    case AgentStatus::kCrashed:
      return ReconcileCrashed(runtime, identity);
    case AgentStatus::kTerminated:
    case AgentStatus::kQuarantined:
      return ReconcileFinished(runtime, identity);
  }
}

// Its process, if it runs, and its work belong to another copy of the project.
void Guardian::ReconcileForeign(AgentRuntime& runtime, const Identity& identity) {
  if (IsRunning(identity.status))
    return AddEnd(runtime, AgentEndOf(identity, ProbeResult{ActualState::kForeign}));
  ReportTerminated(runtime, identity);
}

AgentRuntime* Guardian::FindRuntime(const IdentityName& name) {
  const auto found = runtimes_.find(name);
  return found == runtimes_.end() ? nullptr : &found->second;
}

AgentRuntime* Guardian::FindRuntime(const AgentId& agent) {
  AgentRuntime* found = FindRuntime(agent.identity());
  return found != nullptr && found->id == agent ? found : nullptr;
}

// The runtime of the current incarnation; that of an earlier one is dropped.
AgentRuntime& Guardian::RuntimeOf(const Identity& identity) {
  const IdentityName& name = identity.id.identity();
  auto found = runtimes_.find(name);
  if (found != runtimes_.end() && found->second.id != identity.id) {
    loop_.CancelTimer(found->second.timer);
    loop_.Unwatch(found->second.agent.watch);
    ForgetExec(found->second);
    runtimes_.erase(found);
    found = runtimes_.end();
  }
  if (found == runtimes_.end()) {
    found = runtimes_.emplace(name, AgentRuntime(identity.id)).first;
    // An agent that ended before this guardian started and won't restart was handled then.
    const bool over = !IsRunning(identity.status) && !identity.restart.due;
    found->second.captured = over && identity.exit && identity.exit->at < since_;
    ReportRegistered(identity);
    ProcessEventsSoon(name);
  }
  return found->second;
}

void Guardian::ReconcileLater(AgentRuntime& runtime, Duration wait) {
  const MonotonicTime at = loop_.Now() + std::max(wait, Duration::zero());
  loop_.CancelTimer(runtime.timer);
  runtime.timer_at = at;
  runtime.timer = loop_.StartTimerAt(at, [this, name = runtime.id.identity()] { Reconcile(name); });
}

void Guardian::TryAgainLater(AgentRuntime& runtime, const Error& error) {
  ReportProblem(error);
  const int doublings = std::min(runtime.failures++, kMostDoublings);
  ReconcileLater(runtime, std::chrono::seconds(1) * (1 << doublings));
}

void Guardian::ReconcileSpawning(AgentRuntime& runtime, const Identity& identity) {
  const Result<ProbeResult> found = ProbeRun(env_, identity);
  if (!found) return TryAgainLater(runtime, found.error());
  // From here on by our own clock, since the wall clock may be changed.
  if (!runtime.spawn_until) {
    const WallTime deadline = identity.spawn_deadline.value_or(identity.created_at);
    runtime.spawn_until =
        loop_.Now() + std::min(deadline - env_.clock.Wall(), env_.settings.spawn_deadline);
  }
  Duration left = *runtime.spawn_until - loop_.Now();
  switch (found->actual) {
    case ActualState::kRuns:
      return Adopt(runtime, *found->run);
    case ActualState::kStarting:
      if (left > Duration::zero()) return ReconcileLater(runtime, left);
      (void)HostOf(identity.host).End(*found->run, Force::kKill);
      return ReconcileLater(runtime, kEndingLimit);
    case ActualState::kAbsent:
      // A stop was requested, and the requester was killed, before the agent was started.
      if (StopIsRequested(identity)) return GiveUpStart(runtime, identity, *found);
      // Our exec ended without a run record: it was refused, or failed early.
      if (runtime.launches > 0 && runtime.exec.gone) left = Duration::zero();
      if (left > Duration::zero() && !(cold_ && runtime.launches == 0)) {
        return ReconcileLater(runtime, left);
      }
      if (runtime.launches >= kMostLaunches) return GiveUpStart(runtime, identity, *found);
      return LaunchAgent(runtime, identity);
    case ActualState::kEnding:
      if (WaitForExec(runtime)) return;
      return AddEnd(runtime, AgentEndOf(identity, *found));
    case ActualState::kEnded:
    case ActualState::kForeign:
      return AddEnd(runtime, AgentEndOf(identity, *found));
  }
}

void Guardian::LaunchAgent(AgentRuntime& runtime, const Identity& identity) {
  ++runtime.launches;
  Result<Process> exec = Launch(env_, identity);
  if (!exec) return TryAgainLater(runtime, exec.error());
  ForgetExec(runtime);
  runtime.exec.pid = exec->pid();
  runtime.exec.process = *std::move(exec);
  const Result<WatchId> watch =
      loop_.WatchProcess(*runtime.exec.process, [this, id = runtime.id] { OnExecGone(id); });
  if (watch) runtime.exec.watch = *watch;
  runtime.spawn_until = loop_.Now() + env_.settings.spawn_deadline;
  ReconcileLater(runtime, env_.settings.spawn_deadline);
}

// Records that it runs, whatever was recorded before.
void Guardian::Adopt(AgentRuntime& runtime, const RunRecord& run) {
  const Result<bool> recorded = [&]() -> Result<bool> {
    BELAY_TRY_ASSIGN(const IdentityLock lock, LockIdentities());
    return RecordStart(env_, identities_, lock, run);
  }();
  if (!recorded) return TryAgainLater(runtime, recorded.error());
  runtime.failures = 0;
  if (*recorded) Say(run.agent, fmt::format("is running, pid {}", run.process->pid));
  RenderSoon(run.agent.identity());
  Reconcile(run.agent.identity());
}

void Guardian::ReconcileRunning(AgentRuntime& runtime, const Identity& identity) {
  if (runtime.end_reported) return;
  if (runtime.agent.runs()) {
    // A changed record may need a sample sooner than the timer.
    if (identity.intent) EndIfAsked(runtime, identity);
    if (runtime.timer_at <= loop_.Now()) SampleSoon(runtime);
    return;
  }
  if (!runtime.agent.process && !runtime.agent.gone && identity.process && identity.parent) {
    const Result<void> watched = WatchProcesses(runtime, Named(*identity.process, identity.boot_id),
                                                Named(*identity.parent, identity.boot_id));
    // If we can't watch it, it may still run.
    if (!watched) return TryAgainLater(runtime, watched.error());
    if (runtime.agent.runs()) return BeginWatching(runtime, identity);
  }
  // It is gone. Its exec has recorded how, or will in a moment.
  const Result<ProbeResult> found = ProbeRun(env_, identity);
  if (!found)
    return AddEnd(runtime, AgentEnd{.agent = identity.id, .detail = found.error().message});
  if (found->actual == ActualState::kRuns) return Adopt(runtime, *found->run);
  if (found->actual == ActualState::kEnding && WaitForExec(runtime)) return;
  AddEnd(runtime, AgentEndOf(identity, *found));
}

// It runs, and is watched from now on.
void Guardian::BeginWatching(AgentRuntime& runtime, const Identity& identity) {
  if (std::exchange(runtime.end_when_started, false)) CaptureThenEnd(runtime);
  SampleEarly(runtime);
  if (IsTimedOut(identity)) EndIfAsked(runtime, identity);
  ScheduleSample(runtime, Schedule().First(loop_.Now(), env_.random.Next64()));
}

// The process that requested the stop ends the agent. If it was killed, or an earlier guardian was,
// we do.
void Guardian::EndIfAsked(AgentRuntime& runtime, const Identity& identity) {
  if (IsTimedOut(identity)) {
    if (!runtime.ending && !runtime.end_after_capture) CaptureThenEnd(runtime);
    return;
  }
  const Duration since = env_.clock.Wall() - identity.intent->at;
  const bool theirs = since >= Duration::zero() && since < env_.settings.stop_grace + kOthersEnd;
  if (!theirs && !runtime.ending) EndProcesses(runtime);
  if (!theirs || std::exchange(runtime.stop_watched, true)) return;
  loop_.StartTimer(env_.settings.stop_grace + kOthersEnd,
                   [this, name = runtime.id.identity()] { Reconcile(name); });
}

Result<void> Guardian::WatchProcesses(AgentRuntime& runtime, const ProcessIdentity& agent,
                                      const ProcessIdentity& exec) {
  BELAY_TRY(WatchExec(runtime, exec));
  return WatchOne(runtime.agent, agent, [this, id = runtime.id] { OnAgentGone(id); });
}

// Two execs may have been started for it; the one in the run record counts.
Result<void> Guardian::WatchExec(AgentRuntime& runtime, const ProcessIdentity& exec) {
  if (runtime.exec.pid != exec.pid) ForgetExec(runtime);
  return WatchOne(runtime.exec, exec, [this, id = runtime.id] { OnExecGone(id); });
}

void Guardian::ForgetExec(AgentRuntime& runtime) {
  loop_.Unwatch(runtime.exec.watch);
  ReapLater(std::exchange(runtime.exec, {}));
}

Result<void> Guardian::WatchOne(WatchedProcess& watched, const ProcessIdentity& identity,
                                EventLoop::Callback callback) {
  if (watched.process || watched.gone) return {};
  watched.pid = identity.pid;
  Result<Process> process = Process::Open(identity);
  watched.gone = IsMissing(process);
  if (watched.gone) return {};
  if (!process) return process.error();
  BELAY_TRY_ASSIGN(watched.watch, loop_.WatchProcess(*process, std::move(callback)));
  watched.process = *std::move(process);
  return {};
}

void Guardian::ReconcileFinished(AgentRuntime& runtime, const Identity& identity) {
  runtime.end_reported = false;
  runtime.ending_until.reset();
  ReportTerminated(runtime, identity);
  loop_.CancelTimer(runtime.timer);
  const Result<ProbeResult> found = ProbeRun(env_, identity);
  if (found && found->actual == ActualState::kRuns && found->run && StopIsRequested(identity)) {
    // It started although a stop was requested.
    (void)HostOf(identity.host).End(*found->run, Force::kKill);
    return ReconcileLater(runtime, kEndingLimit);
  }
  if (runtime.captured || runtime.capturing) return;
  Capture(runtime, fmt::format("{} ended", identity.id.text()));
}

}  // namespace belay
