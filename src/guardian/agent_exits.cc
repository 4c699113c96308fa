// Records the end of agents and restarts them. Agents that end at the same time are recorded with
// one sync; everything else comes after.

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "app/agent_facts.h"
#include "guardian/guardian.h"
#include "guardian/respawn.h"
#include "os/process.h"
#include "os/this_process.h"

namespace belay {
namespace {

constexpr int kNoProgram = 127;  // also of a shell that didn't find one
constexpr Duration kTryAgain = std::chrono::milliseconds(100);
constexpr Duration kTryAgainLatest = std::chrono::seconds(5);
constexpr Duration kTellAgain = std::chrono::seconds(5);
constexpr int kMostTellings = 60;  // another process has the lock, or the disk is full

std::string NextText(const Identity& identity) {
  if (identity.status == AgentStatus::kQuarantined) {
    return fmt::format("; belay release {} continues it", identity.id.identity().text());
  }
  if (identity.status != AgentStatus::kCrashed || !identity.restart.due) return {};
  const Duration wait = identity.restart.wait;
  return wait == Duration::zero() ? "; restarting now"
                                  : fmt::format("; restarting in {}", FormatDuration(wait));
}

constexpr auto kExecLimit = std::chrono::seconds(5);  // for an exec to end after its agent

// The same name for every step, so that only one is queued at a time.
std::string RespawnItem(const AgentId& agent) { return "respawn " + agent.text(); }

}  // namespace

void Guardian::OnAgentGone(const AgentId& agent) {
  AgentRuntime* const found = FindRuntime(agent);
  if (found == nullptr) return;
  AgentRuntime& runtime = *found;
  const std::optional<ExitStatus> exit =
      runtime.agent.process ? runtime.agent.process->TryWait() : std::nullopt;
  if (!exit) return;
  runtime.agent.gone = true;
  runtime.agent.process.reset();
  runtime.timer_at = {};
  // The kernel may have reported the status only to the parent, or the program could not be started
  // and only the parent knows why: it writes that to the run record in a moment.
  const bool unclear =
      exit->how == ExitStatus::How::kUnknown || *exit == ExitStatus::Exited(kNoProgram);
  if (unclear) return Reconcile(agent.identity());
  AddEnd(runtime, AgentEnd{.agent = agent, .exit = *exit, .out_of_memory = RanOutOfMemory(*exit)});
}

// Whether the kernel killed a process for lack of memory since the last call.
bool Guardian::RanOutOfMemory(const ExitStatus& exit) {
  if (exit != ExitStatus::Killed(kSignalKill)) return false;
  const std::uint64_t before = std::exchange(oom_kills_, OomKills(env_.files));
  return oom_kills_ > before;
}

void Guardian::OnExecGone(const AgentId& agent) {
  AgentRuntime* const found = FindRuntime(agent);
  if (found == nullptr) return;
  AgentRuntime& runtime = *found;
  const std::optional<ExitStatus> exit =
      runtime.exec.process ? runtime.exec.process->TryWait() : std::nullopt;
  if (!exit) return;  // an earlier exec ended, which this one has replaced
  runtime.exec.gone = true;
  runtime.exec.process.reset();
  runtime.exec_killed = exit->how != ExitStatus::How::kExited;
  const bool lives_on = runtime.agent.runs() && !runtime.agent.process->TryWait();
  if (lives_on)
    return Note(agent, "its belay exec ended; the agent keeps running without a terminal");
  CaptureAgainIfNeeded(runtime);
  runtime.timer_at = {};
  Reconcile(agent.identity());
  NoteForDeadlines(agent.identity());
}

// Its last events may explain why it ended.
void Guardian::AddReports(AgentRuntime& runtime, AgentEnd& end) {
  (void)CatchUpOnEvents(runtime);
  const Identity* identity = identities_.book().Find(runtime.id.identity());
  // An earlier guardian read its events, and only the event log still has all of them.
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
    if (AgentRuntime* runtime = FindRuntime(end.agent.identity())) runtime->end_reported = false;
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

// Skips agents that are older than this guardian: an earlier guardian reported them, if one ran.
void Guardian::ReportRegistered(const Identity& identity) {
  if (cold_ || identity.predecessor_id || !IsRunning(identity.status)) return;
  NotifyPerson(SignalType::kAgentRegistered, MakeObject({{"agent_id", identity.id.text()}}));
}

// Whichever process recorded the end. An agent that restarts by itself needs no attention.
void Guardian::ReportTerminated(AgentRuntime& runtime, const Identity& identity) {
  const bool now = identity.exit && identity.exit->at >= since_;
  const bool restarts = identity.status == AgentStatus::kCrashed && identity.restart.due;
  if (!now || restarts || std::exchange(runtime.person_notified, true)) return;
  const bool ended = identity.status == AgentStatus::kTerminated;
  Json payload = MakeObject(
      {{"agent_id", identity.id.text()}, {"cause", ExitCauseName(identity.exit->cause)}});
  if (!ended) payload.Set("reason", identity.restart.reason);
  NotifyPerson(ended ? SignalType::kAgentTerminated : SignalType::kAgentCrashed,
               std::move(payload));
}

// Sends to the person's inbox, which `belay signal list person` shows.
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
  // Its exec has ended the orphans if it recorded the agent's end.
  const bool by_exec = found && found->run && found->run->state != RunState::kRunning;
  if (!by_exec || runtime.exec_killed || cold_) EndOrphans(runtime);
  if (!runtime.captured) {
    snapshots_.Hurry(runtime.id.identity());
    if (!runtime.capturing) Capture(runtime, fmt::format("{} crashed", identity.id.text()));
    if (!runtime.captured) return;
  }
  if (!identity.restart.due || StopIsRequested(identity)) return;
  // The exec has little left to do, but holds the lock that the successor's exec needs.
  const bool names_exec = found && found->run && found->run->state != RunState::kFailed;
  if (names_exec) (void)WatchExec(runtime, found->run->parent);
  if (runtime.exec.runs() && runtime.captured_at + kExecLimit > loop_.Now()) {
    return ReconcileLater(runtime, kExecLimit);
  }
  if (runtime.exec.runs()) return RecordWait(runtime, identity);
  // From here on by our own clock, since the wall clock may be changed.
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
  ReconcileChanged();  // other processes may have written since
}

void Guardian::RespawnFailed(const AgentId& crashed, const Error& error) {
  if (const std::string why = WhyNoRespawn(crashed, error); !why.empty()) {
    return GiveUpRespawn(crashed, why);
  }
  AgentRuntime* const runtime = FindRuntime(crashed.identity());
  if (runtime == nullptr) return;
  const std::string why = fmt::format("can't be restarted yet: {}", error.message);
  if (why != runtime->trouble) Note(crashed, why);
  runtime->trouble = why;
  TryAgainLater(*runtime, error);
}

}  // namespace belay
