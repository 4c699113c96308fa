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
std::string RespawnChore(const AgentId& agent) { return "respawn " + agent.text(); }

}  // namespace

void Guardian::OnAgentGone(const AgentId& agent) {
  const auto found = wards_.find(agent.identity());
  if (found == wards_.end() || found->second.id != agent) return;
  Ward& ward = found->second;
  const std::optional<ExitStatus> exit =
      ward.agent.process ? ward.agent.process->TryWait() : std::nullopt;
  if (!exit) return;
  ward.agent.gone = true;
  ward.agent.process.reset();
  ward.timer_at = {};
  // The kernel may have told only its parent how, or the program could not be started, and only its
  // parent knows why: then the run record says so, in a moment.
  const bool unclear =
      exit->how == ExitStatus::How::kUnknown || *exit == ExitStatus::Exited(kNoProgram);
  if (unclear) return Attend(agent.identity());
  AddEnd(ward, End{.agent = agent, .exit = *exit, .out_of_memory = RanOutOfMemory(*exit)});
}

// Whether the kernel killed somebody for want of memory since this was last asked.
bool Guardian::RanOutOfMemory(const ExitStatus& exit) {
  if (exit != ExitStatus::Killed(kSignalKill)) return false;
  const std::uint64_t before = std::exchange(oom_kills_, OomKills(doors_.files));
  return oom_kills_ > before;
}

void Guardian::OnExecGone(const AgentId& agent) {
  const auto found = wards_.find(agent.identity());
  if (found == wards_.end() || found->second.id != agent) return;
  Ward& ward = found->second;
  const std::optional<ExitStatus> exit =
      ward.exec.process ? ward.exec.process->TryWait() : std::nullopt;
  if (!exit) return;  // it was another one, which this one has replaced
  ward.exec.gone = true;
  ward.exec.process.reset();
  ward.exec_killed = exit->how != ExitStatus::How::kExited;
  const bool lives_on = ward.agent.runs() && !ward.agent.process->TryWait();
  if (lives_on) return Note(agent, "its belay exec ended; it goes on, without a terminal");
  CaptureAgainIfNeeded(ward);
  ward.timer_at = {};
  Attend(agent.identity());
}

// Its last words may be why it has ended.
void Guardian::AskWhatItTold(Ward& ward, End& end) {
  (void)CatchUpOnEvents(ward);
  const Identity* identity = identities_.book().Find(ward.id.identity());
  // A guardian before us read its events, and only the event log still has all of them.
  if (identity != nullptr && ward.hearing->transcript.empty()) {
    return AddLastWords(doors_, *identity, end);
  }
  const AgentKind kind =
      identity != nullptr ? KindWithHooks(*identity, ward.hearing->kind) : AgentKind::kGeneric;
  TakeLastWords(doors_, *ward.hearing, kind, end);
}

void Guardian::AddEnd(Ward& ward, End end) {
  if (ward.end_reported) return;
  ward.end_reported = true;
  AskWhatItTold(ward, end);
  ward.ending_until.reset();
  ends_.push_back(std::move(end));
  if (flushing_) return;
  flushing_ = true;
  loop_.Post([this] { FlushEnds(); });
}

Result<std::vector<Identity>> Guardian::RecordAllEnds() {
  BELAY_TRY_ASSIGN(const IdentityLock lock, LockIdentities());
  return RecordEnds(doors_, identities_, lock, ends_);
}

void Guardian::FlushEnds() {
  flushing_ = false;
  if (ends_.empty()) return;
  const Result<std::vector<Identity>> recorded = RecordAllEnds();
  if (!recorded) {
    Complain(recorded.error());
    flushing_ = true;
    flush_again_ = std::clamp(flush_again_ * 2, kTryAgain, kTryAgainLatest);
    loop_.StartTimer(flush_again_, [this] { FlushEnds(); });
    return;
  }
  for (const End& end : ends_) {
    const auto ward = wards_.find(end.agent.identity());
    if (ward != wards_.end()) ward->second.end_reported = false;
  }
  ends_.clear();
  flush_again_ = {};
  for (const Identity& identity : *recorded) {
    TellAboutEnd(identity);
    ReviewSoon(identity.id.identity());
  }
  AttendChanged();
}

void Guardian::TellAboutEnd(const Identity& identity) {
  Say(identity.id,
      fmt::format("{}: {}{}", AgentStatusName(identity.status),
                  identity.restart.reason.empty() ? ExitCauseName(identity.exit->cause)
                                                  : std::string_view(identity.restart.reason),
                  NextText(identity)));
}

// News: of those that were here when we came, somebody was told before, or nobody was here.
void Guardian::TellOfNew(const Identity& identity) {
  if (cold_ || identity.predecessor_id || !IsRunning(identity.status)) return;
  TellPerson(SignalType::kAgentRegistered, MakeObject({{"agent_id", identity.id.text()}}));
}

// Whoever recorded it. One that comes back by itself needs nobody.
void Guardian::TellOfEnd(Ward& ward, const Identity& identity) {
  const bool now = identity.exit && identity.exit->at >= since_;
  const bool comes_back = identity.status == AgentStatus::kCrashed && identity.restart.due;
  if (!now || comes_back || std::exchange(ward.end_told, true)) return;
  const bool ended = identity.status == AgentStatus::kTerminated;
  Json payload = MakeObject(
      {{"agent_id", identity.id.text()}, {"cause", ExitCauseName(identity.exit->cause)}});
  if (!ended) payload.Set("reason", identity.restart.reason);
  TellPerson(ended ? SignalType::kAgentTerminated : SignalType::kAgentCrashed, std::move(payload));
}

// In the person's inbox; `belay signal list person` shows it.
void Guardian::TellPerson(SignalType type, Json payload) {
  const Signal signal{.type = type,
                      .from = "guardian",
                      .to = "person",
                      .at = doors_.clock.Wall(),
                      .payload = std::move(payload)};
  chores_.Add("", [this, signal] { SendToPerson(signal, 1); });
}

void Guardian::SendToPerson(const Signal& signal, int tries) {
  const Result<std::string> sent = BoxOf(Recipient::Person()).Send(signal);
  if (sent) return;
  Complain(sent.error());
  if (tries == kMostTellings) return;
  loop_.StartTimer(kTellAgain, [this, signal, tries] { SendToPerson(signal, tries + 1); });
}

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
