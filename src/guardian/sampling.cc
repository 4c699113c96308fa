// Samples running agents, each often enough that a change of phase shows within 30 s. A sample
// proves that the agent is alive, checks whether it did anything, saves its work, and guesses its
// phase. Samples that are due at about the same time share one wake-up.

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

#include "adapters/agents.h"
#include "app/agent_facts.h"
#include "base/path.h"
#include "guardian/guardian.h"
#include "os/process_tree.h"
#include "store/repository.h"

namespace belay {
namespace {

std::uint64_t Mix(std::uint64_t digest, std::uint64_t value) {
  constexpr std::uint64_t kPrime = 1099511628211ULL;
  return (digest ^ value) * kPrime;
}

// The last changes of the worktree and its git folder, as one number.
std::uint64_t WorkDigest(const FileSystem& files, const std::string& worktree,
                         const std::string& git_folder) {
  std::uint64_t digest = 0;
  for (const std::string& path :
       {worktree, JoinPath(git_folder, "index"), JoinPath(git_folder, "HEAD"),
        JoinPath(git_folder, "logs/HEAD")}) {
    const Result<FileInfo> info = files.Inspect(path);
    if (info) digest = Mix(Mix(digest, static_cast<std::uint64_t>(info->modified)), info->inode);
  }
  return digest;
}

std::uint64_t SizeOf(const FileSystem& files, const std::string& path) {
  const Result<FileInfo> info = files.Inspect(path);
  // The time too: a new log may have the same size as the old one.
  return info ? Mix(info->bytes, static_cast<std::uint64_t>(info->modified)) : 0;
}

bool RunsTests(const std::vector<std::vector<std::string>>& commands) {
  return std::any_of(commands.begin(), commands.end(),
                     [](const auto& words) { return IsTestCommand(words); });
}

// After the start. The first hook of an agent program reports after a second or two.
constexpr std::array<Duration, 3> kEarlyChecks = {
    std::chrono::milliseconds(1500), std::chrono::seconds(4), std::chrono::seconds(10)};

}  // namespace

SampleSchedule Guardian::Schedule() const {
  return {env_.settings.heartbeat, env_.settings.snapshot_every};
}

void Guardian::ScheduleSample(AgentRuntime& runtime, MonotonicTime at) {
  runtime.planned = at - loop_.Now();
  ReconcileLater(runtime, runtime.planned);
}

// One per round, so that the end of an agent is handled between two samples.
void Guardian::SampleSoon(const AgentRuntime& runtime) {
  deferred_work_.Add("look " + runtime.id.text(), [this, id = runtime.id] {
    const Identity* identity = identities_.book().Find(id.identity());
    AgentRuntime* const found = FindRuntime(id);
    if (identity == nullptr || found == nullptr) return;
    if (identity->id != id || !IsRunning(identity->status) || !found->agent.runs()) return;
    if (found->timer_at > loop_.Now()) return;
    TakeSample(*found, Identity(*identity));
  });
}

void Guardian::TakeSample(AgentRuntime& runtime, const Identity& identity) {
  const IdentityName& name = identity.id.identity();
  if (runtime.git_folder.empty()) {
    const Result<Repository> place = FindRepository(env_.files, identity.worktree_path);
    runtime.git_folder = place ? place->git_folder : identity.worktree_path;
  }
  // Of its exec, if that runs: it also counts the CPU time of children that were reaped.
  const TreeActivity activity = ReadTreeActivity(
      runtime.exec.runs() ? runtime.exec.process->pid() : runtime.agent.process->pid());
  const SuspicionStep step =
      Consider(env_.settings.suspicion, runtime.suspicion,
               {.seen = {activity.cpu_ticks, SizeOf(env_.files, env_.project.RunLog(name)),
                         WorkDigest(env_.files, identity.worktree_path, runtime.git_folder)},
                .status = identity.status,
                .reported = runtime.reported,
                .now = loop_.Now(),
                .boot = env_.clock.Boot(),
                .planned = runtime.planned});
  const bool ran = std::exchange(runtime.run_time, activity.run_time) != activity.run_time;
  const Suspicion before = std::exchange(runtime.suspicion, step.next);
  runtime.reported = false;
  runtime.tests_run = RunsTests(activity.commands);
  if (identity.agent_kind == AgentKind::kGeneric) {
    if (const auto kind = HookedKindIn(activity.commands)) NoteKind(identity, *kind);
  }
  ScheduleSample(runtime, Schedule().Next(loop_.Now(), identity.status, step.active));
  RecordSample(runtime, step.active);
  if (!ActOnSuspicion(runtime, identity, step)) {
    // Try the same again at the next sample.
    runtime.suspicion.probes = before.probes;
    runtime.suspicion.acted = before.acted;
  }
  const bool waits = identity.status == AgentStatus::kWaiting;
  // An agent with hooks reports that itself; its screen may change while it waits.
  if (waits && runtime.was_waiting && step.active && !runtime.HasHooks()) {
    (void)SetStatus(identity.id, AgentStatus::kAlive, "it is active again");
  }
  runtime.was_waiting = waits;
  // Even a little activity may have written something. The last snapshot may have missed what was
  // written while it was taken, so one more is taken after the activity stops.
  if (step.active || ran || runtime.stirred) Capture(runtime, "while it works");
  runtime.stirred = step.active || ran;
}

void Guardian::SampleEarly(const AgentRuntime& runtime) {
  for (const Duration wait : kEarlyChecks) {
    const bool last = wait == kEarlyChecks.back();
    loop_.StartTimer(wait, [this, id = runtime.id, last] {
      const Identity* identity = identities_.book().Find(id.identity());
      AgentRuntime* const found = FindRuntime(id);
      if (identity == nullptr || found == nullptr) return;
      if (identity->id != id || !found->agent.runs() || found->HasHooks()) return;
      SampleWithoutHooks(*found, Identity(*identity), last);
    });
  }
}

// Finds out what hooks would have reported by now.
void Guardian::SampleWithoutHooks(AgentRuntime& runtime, const Identity& identity, bool last) {
  const FoundAgent sample =
      FindAgentInTree(env_, identity, ReadTreeActivity(runtime.agent.process->pid()));
  if (!sample.kind) return;
  if (identity.agent_kind == AgentKind::kGeneric) NoteKind(identity, *sample.kind);
  if (!sample.session.empty() && sample.session != identity.session_id) {
    NoteSession(identity.id, sample.session, {*sample.kind, KindSource::kProcesses});
  }
  const Identity* present = identities_.book().Find(identity.id.identity());
  const bool wrapped = present != nullptr && present->kind_source == KindSource::kProcesses;
  if (!last || !wrapped) return;
  Note(identity.id, fmt::format("its {} has called no hooks, so belay doesn't see its phase or "
                                "what it waits for, and after a crash its successor may repeat "
                                "finished work; run belay init --agent {} in its folder",
                                AdapterFor(*sample.kind).title(), AgentKindName(*sample.kind)));
}

// For a script whose child is an agent program without hooks that would report it.
void Guardian::NoteKind(const Identity& identity, AgentKind kind) {
  const SeenKind seen{kind, KindSource::kProcesses};
  if (!CorrectedKind(identity, seen)) return;
  const Result<bool> corrected = [&]() -> Result<bool> {
    BELAY_TRY_ASSIGN(const IdentityLock lock, LockIdentities());
    return CorrectKind(lock, identities_, identity.id, seen);
  }();
  if (!corrected) return ReportProblem(corrected.error());
  RenderSoon(identity.id.identity());
}

void Guardian::RecordSample(AgentRuntime& runtime, bool active) {
  if (!active && !Schedule().MustRecord(runtime.seen_at, runtime.timer_at)) return;
  const Result<IdentityLock> lock = LockIdentities();
  if (!lock) return ReportProblem(lock.error());
  const std::optional<WallTime> active_at =
      active ? std::optional<WallTime>(env_.clock.Wall()) : std::nullopt;
  const Result<void> seen = identities_.RecordSeen(*lock, runtime.id, active_at);
  if (!seen) return ReportProblem(seen.error());
  runtime.seen_at = loop_.Now();
  RenderSoon(runtime.id.identity());
}

// False when it could not be done.
bool Guardian::ActOnSuspicion(AgentRuntime& runtime, const Identity& identity,
                              const SuspicionStep& step) {
  const auto set = [&](AgentStatus status, const std::string& why) {
    const Result<void> done = SetStatus(identity.id, status, why);
    if (!done) ReportProblem(done.error());
    return done.ok();
  };
  switch (step.action) {
    case SuspicionAction::kNone:
      return true;
    case SuspicionAction::kSuspect:
      return set(
          AgentStatus::kSuspect,
          fmt::format("no activity for {}", FormatDuration(env_.settings.suspicion.silent_after)));
    case SuspicionAction::kAliveAgain:
      return set(AgentStatus::kAlive, "it is active again");
    case SuspicionAction::kProbe:
      Note(identity.id,
           fmt::format("probe {} of {}: no CPU use, no output, no change in its worktree",
                       step.next.probes, env_.settings.suspicion.probes));
      return true;
    case SuspicionAction::kHung:
      return ActOnHung(runtime, identity);
  }
  __builtin_unreachable();
}

// Ends it only if the settings allow that: a program that waits for something slow looks the same.
bool Guardian::ActOnHung(AgentRuntime& runtime, const Identity& identity) {
  const Policy policy = PolicyFor(env_.settings.restart, ExitCause::kHung);
  if (FactsOf(identity.host).launched && (policy == Policy::kRespawn || policy == Policy::kWait)) {
    const Result<void> ended = EndHung(runtime.id);
    if (!ended) ReportProblem(ended.error());
    return ended.ok();
  }
  Note(identity.id, "three probes saw no activity: please check it");
  if (policy == Policy::kAsk) {
    NotifyPerson(SignalType::kOrchestratorStuck,
                 MakeObject({{"agent_id", identity.id.text()},
                             {"evidence", "three probes saw no activity"}}));
  }
  return true;
}

Result<void> Guardian::EndHung(const AgentId& agent) {
  BELAY_TRY_ASSIGN(const IdentityLock lock, LockIdentities());
  BELAY_TRY(identities_.CatchUp());
  const auto found = runtimes_.find(agent.identity());
  const Identity* present = identities_.book().Find(agent.identity());
  const bool there = found != runtimes_.end() && present != nullptr && present->id == agent;
  if (!there || StopIsRequested(*present)) return {};
  if (!present->intent) {
    Identity changed = *present;
    changed.intent = Intent{"hung", "guardian", env_.clock.Wall()};
    BELAY_TRY(identities_.Record(
        lock, IdentityChange{"hung", "three probes saw no activity: killed, as configured",
                             std::move(changed)}));
  }
  EndProcesses(found->second);
  return {};
}

// Sends TERM, and KILL after the grace period.
void Guardian::EndProcesses(AgentRuntime& runtime) {
  if (!runtime.agent.runs() || runtime.ending) return;
  runtime.ending = true;
  ForceEnd(runtime.id, Force::kAsk);
  loop_.StartTimer(env_.settings.stop_grace,
                   [this, id = runtime.id] { ForceEnd(id, Force::kKill); });
}

void Guardian::ForceEnd(const AgentId& agent, Force force) {
  const Identity* present = identities_.book().Find(agent.identity());
  if (present == nullptr || present->id != agent) return;
  const Result<ProbeResult> found = ProbeRun(env_, *present);
  const bool runs = found && found->run && found->actual == ActualState::kRuns;
  const Result<void> ended = runs ? HostOf(present->host).End(*found->run, force) : Result<void>();
  if (!found || !ended) ReportProblem(found ? ended.error() : found.error());
}

Result<void> Guardian::SetStatus(const AgentId& agent, AgentStatus status, std::string_view why) {
  BELAY_TRY_ASSIGN(const IdentityLock lock, LockIdentities());
  BELAY_TRY(identities_.CatchUp());
  const Identity* present = identities_.book().Find(agent.identity());
  if (present == nullptr || present->id != agent || !IsRunning(present->status)) return {};
  if (present->status == status) return {};
  Identity changed = *present;
  changed.status = status;
  BELAY_TRY(identities_.Record(
      lock, IdentityChange{std::string(AgentStatusName(status)), std::string(why), changed}));
  Say(agent, fmt::format("{}: {}", AgentStatusName(status), why));
  RenderSoon(agent.identity());
  return {};
}

}  // namespace belay
