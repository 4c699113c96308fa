// What is done about an agent, by what is recorded of it:
//
// clang-format off
//   recorded                found out                     then
//   ---------------------   ---------------------------   -----------------------------------------------
//   spawning                it runs                       record that, watch it
//   spawning                nobody started it             at our own start, or when it is late: launch it;
//                                                         the second time that is late: it has ended
//   spawning                its exec is there, and late   end the exec; then it has ended
//   spawning, running ...   it is gone                    record its end (ends.cc)
//   running, suspect ...    it runs                       watch it, look after it (looks.cc)
//   crashed                 it runs all the same          it came up late: record that, watch it
//   crashed                                               keep its work; when it is due, its last process
//                                                         gone and its work kept: bring it back
//   terminated, quarantined                               keep its work once; nothing more
//   any                     it is another copy's          record that it has ended for us; never touch it
// clang-format on

#include <fmt/core.h>

#include "app/incarnation.h"
#include "app/session_place.h"
#include "guardian/guardian.h"

namespace belay {
namespace {

constexpr auto kEndingLimit = std::chrono::milliseconds(500);  // for an exec to record an end
constexpr auto kOthersEnd = std::chrono::seconds(5);  // beyond the grace, for whoever asked
constexpr int kMostLaunches = 2;
constexpr int kMostDoublings = 6;

ProcessIdentity Named(const ProcessMark& mark, const std::string& boot_id) {
  return {static_cast<pid_t>(mark.pid), mark.start, boot_id};
}

}  // namespace

void Guardian::Attend(const IdentityName& name) {
  const Identity* found = identities_.book().Find(name);
  if (found == nullptr || !FactsOf(found->host).is_agent) return;
  // A copy: what is done about it changes the book.
  const Identity identity = *found;
  Ward& ward = WardOf(identity);
  if (!IsOurs(identity, lease_)) return AttendForeign(ward, identity);
  if (!FactsOf(identity.host).launched) return AttendExternal(ward, identity);
  switch (identity.status) {
    case AgentStatus::kSpawning:
      return AttendSpawning(ward, identity);
    case AgentStatus::kAlive:
    case AgentStatus::kSuspect:
    case AgentStatus::kWaiting:
    case AgentStatus::kHandingOff:
      return AttendRunning(ward, identity);
    case AgentStatus::kCrashed:
      return AttendCrashed(ward, identity);
    case AgentStatus::kTerminated:
    case AgentStatus::kQuarantined:
      return AttendFinished(ward, identity);
  }
}

// Its process, if it is there, and its work are somebody else's.
void Guardian::AttendForeign(Ward& ward, const Identity& identity) {
  if (IsRunning(identity.status)) return AddEnd(ward, EndOf(identity, Found{Truth::kForeign}));
  TellOfEnd(ward, identity);
}

// Of the present incarnation; what was known about one before it is dropped.
Ward& Guardian::WardOf(const Identity& identity) {
  const IdentityName& name = identity.id.identity();
  auto found = wards_.find(name);
  if (found != wards_.end() && found->second.id != identity.id) {
    loop_.CancelTimer(found->second.timer);
    loop_.Unwatch(found->second.agent.watch);
    ForgetExec(found->second);
    wards_.erase(found);
    found = wards_.end();
  }
  if (found == wards_.end()) {
    found = wards_.emplace(name, Ward(identity.id)).first;
    // What ended before we came, and isn't to be brought back, was seen to by whoever was here
    // then.
    const bool over = !IsRunning(identity.status) && !identity.restart.due;
    found->second.captured = over && identity.exit && identity.exit->at < since_;
    TellOfNew(identity);
    ListenSoon(name);
  }
  return found->second;
}

void Guardian::AttendLater(Ward& ward, Duration wait) {
  const MonotonicTime at = loop_.Now() + std::max(wait, Duration::zero());
  loop_.CancelTimer(ward.timer);
  ward.timer_at = at;
  ward.timer = loop_.StartTimerAt(at, [this, name = ward.id.identity()] { Attend(name); });
}

void Guardian::TryAgainLater(Ward& ward, const Error& error) {
  Complain(error);
  const int doublings = std::min(ward.failures++, kMostDoublings);
  AttendLater(ward, std::chrono::seconds(1) * (1 << doublings));
}

void Guardian::AttendSpawning(Ward& ward, const Identity& identity) {
  const Result<Found> found = FindOut(doors_, identity);
  if (!found) return TryAgainLater(ward, found.error());
  // By our own clock from here on: the wall clock may be set.
  if (!ward.spawn_until) {
    const WallTime deadline = identity.spawn_deadline.value_or(identity.created_at);
    ward.spawn_until =
        loop_.Now() + std::min(deadline - doors_.clock.Wall(), doors_.settings.spawn_deadline);
  }
  Duration left = *ward.spawn_until - loop_.Now();
  switch (found->truth) {
    case Truth::kRuns:
      return Adopt(ward, *found->run);
    case Truth::kStarting:
      if (left > Duration::zero()) return AttendLater(ward, left);
      (void)HostOf(identity.host).End(*found->run, Force::kKill);
      return AttendLater(ward, kEndingLimit);
    case Truth::kAbsent:
      // Whoever asked for its end was killed before anything was started.
      if (IsToStop(identity)) return GiveUpStart(ward, identity, *found);
      // An exec of ours that went without a word was refused, or could do nothing.
      if (ward.launches > 0 && ward.exec.gone) left = Duration::zero();
      if (left > Duration::zero() && !(cold_ && ward.launches == 0)) {
        return AttendLater(ward, left);
      }
      if (ward.launches >= kMostLaunches) return GiveUpStart(ward, identity, *found);
      return LaunchWard(ward, identity);
    case Truth::kEnding:
      if (WaitForExec(ward)) return;
      return AddEnd(ward, EndOf(identity, *found));
    case Truth::kEnded:
    case Truth::kForeign:
      return AddEnd(ward, EndOf(identity, *found));
  }
}

void Guardian::LaunchWard(Ward& ward, const Identity& identity) {
  ++ward.launches;
  Result<Process> exec = Launch(doors_, identity);
  if (!exec) return TryAgainLater(ward, exec.error());
  ForgetExec(ward);
  ward.exec.pid = exec->pid();
  ward.exec.process = *std::move(exec);
  const Result<WatchId> watch =
      loop_.WatchProcess(*ward.exec.process, [this, id = ward.id] { OnExecGone(id); });
  if (watch) ward.exec.watch = *watch;
  ward.spawn_until = loop_.Now() + doors_.settings.spawn_deadline;
  AttendLater(ward, doors_.settings.spawn_deadline);
}

// It runs, whatever was recorded: from now on that is recorded too.
void Guardian::Adopt(Ward& ward, const RunRecord& run) {
  const Result<bool> recorded = [&]() -> Result<bool> {
    BELAY_TRY_ASSIGN(const IdentityLock lock, LockIdentities());
    return RecordStart(doors_, identities_, lock, run);
  }();
  if (!recorded) return TryAgainLater(ward, recorded.error());
  ward.failures = 0;
  if (*recorded) Say(run.agent, fmt::format("runs, pid {}", run.process->pid));
  RenderSoon(run.agent.identity());
  Attend(run.agent.identity());
}

void Guardian::AttendRunning(Ward& ward, const Identity& identity) {
  if (ward.end_reported) return;
  if (ward.agent.runs()) {
    // Somebody may want it to be looked at sooner, or later, than the timer says.
    if (identity.intent) EndIfAsked(ward, identity);
    if (ward.timer_at <= loop_.Now()) LookSoon(ward);
    return;
  }
  if (!ward.agent.process && !ward.agent.gone && identity.process && identity.parent) {
    const Result<void> watched = WatchProcesses(ward, Named(*identity.process, identity.boot_id),
                                                Named(*identity.parent, identity.boot_id));
    // That we can't watch it says nothing about whether it runs.
    if (!watched) return TryAgainLater(ward, watched.error());
    if (ward.agent.runs() && std::exchange(ward.end_when_started, false)) CaptureThenEnd(ward);
    if (ward.agent.runs()) {
      LookEarly(ward);
      return LookAt(ward, Schedule().First(loop_.Now(), doors_.random.Next64()));
    }
  }
  // It is gone. Its exec says how, or will in a moment.
  const Result<Found> found = FindOut(doors_, identity);
  if (!found) return AddEnd(ward, End{.agent = identity.id, .detail = found.error().message});
  if (found->truth == Truth::kRuns) return Adopt(ward, *found->run);
  if (found->truth == Truth::kEnding && WaitForExec(ward)) return;
  AddEnd(ward, EndOf(identity, *found));
}

// Whoever asked for its end sees to it; if he was killed, or a guardian before us was, we do.
void Guardian::EndIfAsked(Ward& ward, const Identity& identity) {
  const Duration since = doors_.clock.Wall() - identity.intent->at;
  const bool theirs = since >= Duration::zero() && since < doors_.settings.stop_grace + kOthersEnd;
  if (!theirs && !ward.ending) EndProcesses(ward);
  if (!theirs || std::exchange(ward.stop_watched, true)) return;
  loop_.StartTimer(doors_.settings.stop_grace + kOthersEnd,
                   [this, name = ward.id.identity()] { Attend(name); });
}

Result<void> Guardian::WatchProcesses(Ward& ward, const ProcessIdentity& agent,
                                      const ProcessIdentity& exec) {
  BELAY_TRY(WatchExec(ward, exec));
  return WatchOne(ward.agent, agent, [this, id = ward.id] { OnAgentGone(id); });
}

// Two may have been started for it; the one that counts is the one that the run record names.
Result<void> Guardian::WatchExec(Ward& ward, const ProcessIdentity& exec) {
  if (ward.exec.pid != exec.pid) ForgetExec(ward);
  return WatchOne(ward.exec, exec, [this, id = ward.id] { OnExecGone(id); });
}

void Guardian::ForgetExec(Ward& ward) {
  loop_.Unwatch(ward.exec.watch);
  ReapLater(std::exchange(ward.exec, {}));
}

Result<void> Guardian::WatchOne(WatchedProcess& watched, const ProcessIdentity& identity,
                                EventLoop::Callback callback) {
  if (watched.process || watched.gone) return {};
  watched.pid = identity.pid;
  Result<Process> process = Process::Open(identity);
  watched.gone = !process && process.error().code == ErrorCode::kNotFound;
  if (watched.gone) return {};
  if (!process) return process.error();
  BELAY_TRY_ASSIGN(watched.watch, loop_.WatchProcess(*process, std::move(callback)));
  watched.process = *std::move(process);
  return {};
}

void Guardian::AttendFinished(Ward& ward, const Identity& identity) {
  ward.end_reported = false;
  ward.ending_until.reset();
  TellOfEnd(ward, identity);
  loop_.CancelTimer(ward.timer);
  const Result<Found> found = FindOut(doors_, identity);
  if (found && found->truth == Truth::kRuns && found->run && IsToStop(identity)) {
    // It came up although it was to stop.
    (void)HostOf(identity.host).End(*found->run, Force::kKill);
    return AttendLater(ward, kEndingLimit);
  }
  if (ward.captured || ward.capturing) return;
  Capture(ward, fmt::format("{} ended", identity.id.text()));
}

}  // namespace belay
