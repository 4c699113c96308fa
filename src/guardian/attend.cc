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
// clang-format on

#include <fmt/core.h>

#include <csignal>

#include "guardian/guardian.h"
#include "guardian/incarnation.h"

namespace belay {
namespace {

constexpr auto kEndingLimit = std::chrono::milliseconds(500);  // for an exec to record an end
constexpr auto kExecLimit = std::chrono::seconds(5);           // for an exec to end after its agent
constexpr int kMostLaunches = 2;
constexpr int kMostDoublings = 6;

ProcessIdentity Named(const ProcessMark& mark, const std::string& boot_id) {
  return {static_cast<pid_t>(mark.pid), mark.start, boot_id};
}

}  // namespace

void Guardian::Attend(const IdentityName& name) {
  const Identity* identity = identities_.book().Find(name);
  if (identity == nullptr || identity->host == AgentHost::kSelf ||
      identity->host == AgentHost::kExternal) {
    return;
  }
  Ward& ward = WardOf(*identity);
  switch (identity->status) {
    case AgentStatus::kSpawning:
      return AttendSpawning(ward, *identity);
    case AgentStatus::kAlive:
    case AgentStatus::kSuspect:
    case AgentStatus::kWaiting:
    case AgentStatus::kHandingOff:
      return AttendRunning(ward, *identity);
    case AgentStatus::kCrashed:
      return AttendCrashed(ward, *identity);
    case AgentStatus::kTerminated:
    case AgentStatus::kQuarantined:
      return AttendFinished(ward, *identity);
  }
}

// Of the present incarnation; what was known about one before it is dropped.
Ward& Guardian::WardOf(const Identity& identity) {
  const IdentityName& name = identity.id.identity();
  auto found = wards_.find(name);
  if (found != wards_.end() && found->second.id != identity.id) {
    loop_.CancelTimer(found->second.timer);
    loop_.Unwatch(found->second.agent.watch);
    loop_.Unwatch(found->second.exec.watch);
    wards_.erase(found);
    found = wards_.end();
  }
  if (found == wards_.end()) {
    found = wards_.emplace(name, Ward(identity.id)).first;
    // What ended before we came, and isn't to be brought back, was seen to by whoever was here
    // then.
    const bool over = !IsRunning(identity.status) && !identity.restart.due;
    found->second.captured = cold_ && over;
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
  const WallTime deadline = identity.spawn_deadline.value_or(identity.created_at);
  Duration left = std::min(deadline - doors_.clock.Wall(), doors_.settings.spawn_deadline);
  switch (found->truth) {
    case Truth::kRuns:
      return Adopt(ward, identity, *found->run);
    case Truth::kStarting:
      if (left > Duration::zero()) return AttendLater(ward, left);
      if (const auto exec = Process::Open(found->run->parent)) (void)exec->Signal(SIGKILL);
      return AttendLater(ward, kEndingLimit);
    case Truth::kAbsent:
      // An exec of ours that went without a word was refused, or could do nothing.
      if (ward.launches > 0 && ward.exec.gone) left = Duration::zero();
      if (left > Duration::zero() && !(cold_ && ward.launches == 0)) {
        return AttendLater(ward, left);
      }
      if (ward.launches >= kMostLaunches) return AddEnd(ward, EndOf(identity, *found));
      return LaunchWard(ward, identity);
    case Truth::kEnding:
      if (WaitForExec(ward)) return;
      return AddEnd(ward, EndOf(identity, *found));
    case Truth::kEnded:
    case Truth::kForeign:
      return AddEnd(ward, EndOf(identity, *found));
  }
}

// Whether its exec still has time to record how it ended.
bool Guardian::WaitForExec(Ward& ward) {
  const MonotonicTime now = loop_.Now();
  if (!ward.ending_until) ward.ending_until = now + kEndingLimit;
  if (now >= *ward.ending_until) return false;
  AttendLater(ward, *ward.ending_until - now);
  return true;
}

void Guardian::LaunchWard(Ward& ward, const Identity& identity) {
  ++ward.launches;
  Result<Process> exec = Launch(doors_, identity);
  if (!exec) return TryAgainLater(ward, exec.error());
  ward.exec.process = *std::move(exec);
  ward.exec.gone = false;
  const Result<WatchId> watch =
      loop_.WatchProcess(*ward.exec.process, [this, id = ward.id] { OnExecGone(id); });
  if (watch) ward.exec.watch = *watch;
  AttendLater(ward, doors_.settings.spawn_deadline);
}

// It runs, whatever was recorded: from now on that is recorded too.
void Guardian::Adopt(Ward& ward, const Identity& identity, const RunRecord& run) {
  const Result<StateLock> lock = LockIdentities();
  if (!lock) return TryAgainLater(ward, lock.error());
  Identity alive = identity;
  alive.status = AgentStatus::kAlive;
  alive.process = ProcessMark{run.process->pid, run.process->start_time};
  alive.parent = ProcessMark{run.parent.pid, run.parent.start_time};
  alive.boot_id = run.process->boot_id;
  alive.started_at = run.started_at;
  alive.last_seen = doors_.clock.Wall();
  alive.last_activity = alive.last_seen;
  alive.spawn_deadline.reset();
  alive.exit.reset();
  alive.restart.due.reset();
  alive.restart.reason.clear();
  const std::string why = fmt::format("it runs, pid {}", run.process->pid);
  const Result<void> recorded = identities_.Record(*lock, IdentityChange{"alive", why, alive});
  if (!recorded) return TryAgainLater(ward, recorded.error());
  ward.failures = 0;
  Say(identity.id, fmt::format("runs, pid {}", run.process->pid));
  RenderSoon(identity.id.identity());
  Attend(identity.id.identity());
}

void Guardian::AttendRunning(Ward& ward, const Identity& identity) {
  if (ward.end_reported) return;
  if (ward.agent.runs()) {
    // Somebody may want it to be looked at sooner, or later, than the timer says.
    if (ward.timer_at <= loop_.Now()) Look(ward, identity);
    return;
  }
  if (!ward.agent.process && identity.process && identity.parent) {
    WatchProcesses(ward, Named(*identity.process, identity.boot_id),
                   Named(*identity.parent, identity.boot_id));
    if (ward.agent.runs()) {
      ward.planned = doors_.settings.heartbeat * (1 + doors_.random.Next64() % 16) / 16;
      return AttendLater(ward, ward.planned);
    }
  }
  // It is gone. Its exec says how, or will in a moment.
  const Result<Found> found = FindOut(doors_, identity);
  if (!found) return AddEnd(ward, End{.agent = identity.id, .detail = found.error().message});
  if (found->truth == Truth::kRuns) return Adopt(ward, identity, *found->run);
  if (found->truth == Truth::kEnding && WaitForExec(ward)) return;
  AddEnd(ward, EndOf(identity, *found));
}

void Guardian::WatchProcesses(Ward& ward, const ProcessIdentity& agent,
                              const ProcessIdentity& exec) {
  const auto watch = [this](WatchedProcess& watched, const ProcessIdentity& identity,
                            EventLoop::Callback callback) {
    if (watched.process) return;
    Result<Process> process = Process::Open(identity);
    watched.gone = !process.ok();
    if (!process) return;
    watched.process = *std::move(process);
    const Result<WatchId> id = loop_.WatchProcess(*watched.process, std::move(callback));
    if (id) watched.watch = *id;
    if (!id) Complain(id.error());
  };
  watch(ward.agent, agent, [this, id = ward.id] { OnAgentGone(id); });
  watch(ward.exec, exec, [this, id = ward.id] { OnExecGone(id); });
}

void Guardian::AttendCrashed(Ward& ward, const Identity& identity) {
  ward.end_reported = false;
  const Result<Found> found = FindOut(doors_, identity);
  if (found && found->truth == Truth::kRuns && !identity.intent) {
    return Adopt(ward, identity, *found->run);
  }
  if (!ward.captured) {
    if (!ward.capturing) Capture(ward, fmt::format("{} crashed", identity.id.text()));
    return;
  }
  if (!identity.restart.due || identity.intent) return;
  if (ward.exec.runs() && ward.captured_at + kExecLimit > loop_.Now()) {
    return AttendLater(ward, kExecLimit);
  }
  const Duration left = TimeUntil(identity.restart, doors_.clock.Wall());
  if (left > Duration::zero()) return AttendLater(ward, left);
  chores_.Add("respawn " + identity.id.text(), [this, id = identity.id] { Respawn(id); });
}

void Guardian::AttendFinished(Ward& ward, const Identity& identity) {
  ward.end_reported = false;
  loop_.CancelTimer(ward.timer);
  if (ward.captured || ward.capturing) return;
  Capture(ward, fmt::format("{} ended", identity.id.text()));
}

void Guardian::Respawn(const AgentId& crashed) {
  const Result<std::optional<Identity>> next =
      PrepareRespawn(doors_, {identities_, hooks_, taints_}, crashed);
  const auto ward = wards_.find(crashed.identity());
  if (!next) {
    if (ward != wards_.end()) TryAgainLater(ward->second, next.error());
    return;
  }
  if (!*next) return StopIfDone();
  (void)identities_.book().TakeChanged();
  Say(crashed, fmt::format("is followed by {}", (*next)->id.text()));
  LaunchWard(WardOf(**next), **next);
  RenderSoon(crashed.identity());
  RenderHookSoon(crashed.identity());
  RenderTaintSoon();
  // Others may have written meanwhile.
  loop_.Post([this] { OnJournals(); });
}

}  // namespace belay
