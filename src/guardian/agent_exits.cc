// From the moment an agent is gone to the record of it. Those that end at the same time are
// recorded with one sync; everything else comes after.

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "app/agent_adapters.h"
#include "guardian/guardian.h"
#include "guardian/respawn.h"
#include "os/memory.h"
#include "os/signals.h"

namespace belay {
namespace {

constexpr int kNoProgram = 127;  // also of a shell that didn't find one
constexpr Duration kTryAgain = std::chrono::milliseconds(100);
constexpr Duration kTryAgainLatest = std::chrono::seconds(5);
constexpr Duration kTellAgain = std::chrono::seconds(5);
constexpr int kMostTellings = 60;  // somebody has the lock, or the disk is full

std::string NextText(const Identity& identity) {
  if (identity.status == AgentStatus::kQuarantined) {
    return fmt::format("; belay release {} lifts it", identity.id.identity().text());
  }
  if (identity.status != AgentStatus::kCrashed || !identity.restart.due) return {};
  const Duration wait = identity.restart.wait;
  return wait == Duration::zero() ? "; again at once"
                                  : fmt::format("; again in {}", FormatDuration(wait));
}

constexpr auto kExecLimit = std::chrono::seconds(5);  // for an exec to end after its agent

// The same for every step of it: so one is under way at a time.
std::string RespawnItem(const AgentId& agent) { return "respawn " + agent.text(); }

}  // namespace

void Guardian::OnAgentGone(const AgentId& agent) {
  const auto found = runtimes_.find(agent.identity());
  if (found == runtimes_.end() || found->second.id != agent) return;
  AgentRuntime& runtime = found->second;
  const std::optional<ExitStatus> exit =
      runtime.agent.process ? runtime.agent.process->TryWait() : std::nullopt;
  if (!exit) return;
  runtime.agent.gone = true;
  runtime.agent.process.reset();
  runtime.timer_at = {};
  // The kernel may have told only its parent how, or the program could not be started, and only its
  // parent knows why: then the run record says so, in a moment.
  const bool unclear =
      exit->how == ExitStatus::How::kUnknown || *exit == ExitStatus::Exited(kNoProgram);
  if (unclear) return Reconcile(agent.identity());
  AddEnd(runtime, AgentEnd{.agent = agent, .exit = *exit, .out_of_memory = RanOutOfMemory(*exit)});
}

// Whether the kernel killed somebody for want of memory since this was last asked.
bool Guardian::RanOutOfMemory(const ExitStatus& exit) {
  if (exit != ExitStatus::Killed(kSignalKill)) return false;
  const std::uint64_t before = std::exchange(oom_kills_, OomKills(env_.files));
  return oom_kills_ > before;
}

void Guardian::OnExecGone(const AgentId& agent) {
  const auto found = runtimes_.find(agent.identity());
  if (found == runtimes_.end() || found->second.id != agent) return;
  AgentRuntime& runtime = found->second;
  const std::optional<ExitStatus> exit =
      runtime.exec.process ? runtime.exec.process->TryWait() : std::nullopt;
  if (!exit) return;  // it was another one, which this one has replaced
  runtime.exec.gone = true;
  runtime.exec.process.reset();
  runtime.exec_killed = exit->how != ExitStatus::How::kExited;
  const bool lives_on = runtime.agent.runs() && !runtime.agent.process->TryWait();
  if (lives_on) return Note(agent, "its belay exec ended; it goes on, without a terminal");
  CaptureAgainIfNeeded(runtime);
  runtime.timer_at = {};
  Reconcile(agent.identity());
}

// Its last words may be why it has ended.
void Guardian::AddReports(AgentRuntime& runtime, AgentEnd& end) {
  (void)CatchUpOnEvents(runtime);
  const Identity* identity = identities_.book().Find(runtime.id.identity());
  // A guardian before us read its events, and only the event log still has all of them.
  if (identity != nullptr && runtime.summary->transcript.empty()) {
    return ReadReportedCause(env_, *identity, end);
  }
  const AgentKind kind =
      identity != nullptr ? KindWithHooks(*identity, runtime.summary->kind) : AgentKind::kGeneric;
  AddReportedCause(env_, *runtime.summary, kind, end);
}

void Guardian::AddEnd(AgentRuntime& runtime, AgentEnd end) {
  if (runtime.end_reported) return;
  runtime.end_reported = true;
  AddReports(runtime, end);
  runtime.ending_until.reset();
  ends_.push_back(std::move(end));
  if (flushing_) return;
  flushing_ = true;
  loop_.Post([this] { FlushEnds(); });
}

Result<std::vector<Identity>> Guardian::RecordAllEnds() {
  BELAY_TRY_ASSIGN(const IdentityLock lock, LockIdentities());
  return RecordEnds(env_, identities_, lock, ends_);
}

void Guardian::FlushEnds() {
  flushing_ = false;
  if (ends_.empty()) return;
  const Result<std::vector<Identity>> recorded = RecordAllEnds();
  if (!recorded) {
    ReportProblem(recorded.error());
    flushing_ = true;
    flush_again_ = std::clamp(flush_again_ * 2, kTryAgain, kTryAgainLatest);
    loop_.StartTimer(flush_again_, [this] { FlushEnds(); });
    return;
  }
  for (const AgentEnd& end : ends_) {
    const auto runtime = runtimes_.find(end.agent.identity());
    if (runtime != runtimes_.end()) runtime->second.end_reported = false;
  }
  ends_.clear();
  flush_again_ = {};
  for (const Identity& identity : *recorded) {
    ReportEnd(identity);
    ReviewSoon(identity.id.identity());
  }
  ReconcileChanged();
}

void Guardian::ReportEnd(const Identity& identity) {
  Say(identity.id,
      fmt::format("{}: {}{}", AgentStatusName(identity.status),
                  identity.restart.reason.empty() ? ExitCauseName(identity.exit->cause)
                                                  : std::string_view(identity.restart.reason),
                  NextText(identity)));
}

// News: of those that were here when we came, somebody was told before, or nobody was here.
void Guardian::ReportRegistered(const Identity& identity) {
  if (cold_ || identity.predecessor_id || !IsRunning(identity.status)) return;
  NotifyPerson(SignalType::kAgentRegistered, MakeObject({{"agent_id", identity.id.text()}}));
}

// Whoever recorded it. One that comes back by itself needs nobody.
void Guardian::ReportTerminated(AgentRuntime& runtime, const Identity& identity) {
  const bool now = identity.exit && identity.exit->at >= since_;
  const bool comes_back = identity.status == AgentStatus::kCrashed && identity.restart.due;
  if (!now || comes_back || std::exchange(runtime.end_told, true)) return;
  const bool ended = identity.status == AgentStatus::kTerminated;
  Json payload = MakeObject(
      {{"agent_id", identity.id.text()}, {"cause", ExitCauseName(identity.exit->cause)}});
  if (!ended) payload.Set("reason", identity.restart.reason);
  NotifyPerson(ended ? SignalType::kAgentTerminated : SignalType::kAgentCrashed,
               std::move(payload));
}

// In the person's inbox; `belay signal list person` shows it.
void Guardian::NotifyPerson(SignalType type, Json payload) {
  const Signal signal{.type = type,
                      .from = "guardian",
                      .to = "person",
                      .at = env_.clock.Wall(),
                      .payload = std::move(payload)};
  deferred_work_.Add("", [this, signal] { SendToPerson(signal, 1); });
}

void Guardian::SendToPerson(const Signal& signal, int tries) {
  const Result<std::string> sent = BoxOf(Recipient::Person()).Send(signal);
  if (sent) return;
  ReportProblem(sent.error());
  if (tries == kMostTellings) return;
  loop_.StartTimer(kTellAgain, [this, signal, tries] { SendToPerson(signal, tries + 1); });
}

void Guardian::ReconcileCrashed(AgentRuntime& runtime, const Identity& identity) {
  runtime.end_reported = false;
  runtime.ending_until.reset();
  ReportTerminated(runtime, identity);
  const Result<ProbeResult> found = ProbeRun(env_, identity);
  if (found && found->actual == ActualState::kRuns && !StopIsRequested(identity)) {
    return Adopt(runtime, *found->run);
  }
  // Its exec, if it had the time, has ended them.
  const bool by_exec = found && found->run && found->run->state != RunState::kRunning;
  if (!by_exec || runtime.exec_killed || cold_) EndOrphans(runtime);
  if (!runtime.captured) {
    snapshots_.Hurry(runtime.id.identity());
    if (!runtime.capturing) Capture(runtime, fmt::format("{} crashed", identity.id.text()));
    if (!runtime.captured) return;
  }
  if (!identity.restart.due || StopIsRequested(identity)) return;
  // After its agent it has little to do. It holds the lock that its successor's exec needs.
  const bool names_exec = found && found->run && found->run->state != RunState::kFailed;
  if (names_exec) (void)WatchExec(runtime, found->run->parent);
  if (runtime.exec.runs() && runtime.captured_at + kExecLimit > loop_.Now()) {
    return ReconcileLater(runtime, kExecLimit);
  }
  if (runtime.exec.runs()) return RecordWait(runtime, identity);
  // By our own clock from here on: the wall clock may be set.
  if (runtime.due != identity.restart.due) {
    runtime.due = identity.restart.due;
    runtime.due_at = loop_.Now() + TimeUntil(identity.restart, env_.clock.Wall());
  }
  if (runtime.due_at > loop_.Now()) return ReconcileLater(runtime, runtime.due_at - loop_.Now());
  deferred_work_.AddFirst(RespawnItem(identity.id), [this, id = identity.id] { StartRespawn(id); });
}

void Guardian::StartRespawn(const AgentId& crashed) {
  const SessionLedgers ledgers{identities_, hooks_, taints_};
  ContinueRespawn(std::make_shared<Respawn>(env_, ledgers, crashed));
}

void Guardian::ContinueRespawn(const std::shared_ptr<Respawn>& respawn) {
  const AgentId& crashed = respawn->crashed();
  const Result<Respawn::Progress> progress = respawn->Step();
  if (!progress) return RespawnFailed(crashed, progress.error());
  switch (*progress) {
    case Respawn::Progress::kNotNeeded:
      return StopIfDone();
    case Respawn::Progress::kGoesOn:
      return deferred_work_.AddFirst(RespawnItem(crashed),
                                     [this, respawn] { ContinueRespawn(respawn); });
    case Respawn::Progress::kReady:
      break;
  }
  const Identity& next = respawn->next();
  Say(crashed, fmt::format("is followed by {}", next.id.text()));
  LaunchAgent(RuntimeOf(next), next);
  RenderHookSoon(crashed.identity());
  RenderSoon(taints_.RenderJobs());
  ReconcileChanged();  // others may have written meanwhile
}

void Guardian::RespawnFailed(const AgentId& crashed, const Error& error) {
  if (const std::string why = WhyNoRespawn(crashed, error); !why.empty()) {
    return GiveUpRespawn(crashed, why);
  }
  const auto runtime = runtimes_.find(crashed.identity());
  if (runtime == runtimes_.end()) return;
  const std::string why = fmt::format("can't be brought back yet: {}", error.message);
  if (why != runtime->second.trouble) Note(crashed, why);
  runtime->second.trouble = why;
  TryAgainLater(runtime->second, error);
}

}  // namespace belay
