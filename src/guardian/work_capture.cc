// Takes snapshots of agents' work, and records what is known about the work from them and from the
// agents' notes.

#include <fmt/core.h>

#include <utility>

#include "guardian/guardian.h"

namespace belay {
namespace {

constexpr int kMostCaptures = 5;  // tries, before a successor starts without a snapshot

// Whether this incarnation has set its phase itself. Needed when we see its hook record for the
// first time: it may have set the phase before.
bool SaidBy(const Hook& hook, const AgentId& agent) {
  if (hook.phase_history.empty()) return false;
  const PhaseChange& last = hook.phase_history.back();
  return last.incarnation == agent.incarnation() && last.source != "spawn";
}

}  // namespace

// One at a time for each agent: a request during a snapshot starts the next one after it.
void Guardian::Capture(AgentRuntime& runtime, std::string message) {
  if (runtime.capturing) {
    runtime.capture_next = std::move(message);
    return;
  }
  const Identity* identity = identities_.book().Find(runtime.id.identity());
  // Outside a repository there is no place to store one.
  if (!env_.project.InRepository()) {
    runtime.captured = true;
    return;
  }
  runtime.capturing = true;
  runtime.captures_end = identity != nullptr && !IsRunning(identity->status);
  runtime.captured_with_exec = runtime.exec.runs();
  // The successor waits for the last snapshot, a requested stop for the one before the end.
  const bool waited_for = runtime.captures_end || runtime.end_after_capture;
  snapshots_.Take(
      runtime.id.identity(), std::move(message),
      waited_for ? Snapshotter::Haste::kWaitedFor : Snapshotter::Haste::kOrdinary,
      [this, id = runtime.id](const Result<SnapshotOutcome>& outcome) { OnCaptured(id, outcome); });
}

void Guardian::CaptureThenEnd(AgentRuntime& runtime) {
  runtime.end_after_capture = true;
  snapshots_.Hurry(runtime.id.identity());
  Capture(runtime, "before it is stopped");
  // Outside a repository there is nothing to wait for.
  if (!runtime.capturing) EndProcesses(runtime);
}

void Guardian::OnCaptured(const AgentId& agent, const Result<SnapshotOutcome>& outcome) {
  AgentRuntime* const found = FindRuntime(agent);
  if (found == nullptr) return StopIfDone();
  AgentRuntime& runtime = *found;
  runtime.capturing = false;
  runtime.captured = runtime.captures_end;
  runtime.captured_at = loop_.Now();
  if (outcome) {
    const Result<void> noted = NoteWork(runtime, *outcome);
    // The successor needs the last one's id. If another process has the lock, take it again.
    if (!noted && runtime.captured && noted.error().code == ErrorCode::kBusy) {
      runtime.captured = false;
      return TryAgainLater(runtime, noted.error());
    }
    if (!noted) ReportProblem(noted.error());
  }
  const std::string lack = outcome ? "" : fmt::format("no snapshot: {}", outcome.error().message);
  if (!lack.empty() && lack != runtime.lack) Note(agent, lack);
  runtime.lack = lack;
  if (std::exchange(runtime.end_after_capture, false)) EndProcesses(runtime);
  // A successor could overwrite unsaved work, so it waits while another try may succeed.
  const bool may_succeed = !outcome && !IsMissing(outcome);
  if (may_succeed && runtime.captured && ++runtime.failed_captures < kMostCaptures) {
    runtime.captured = false;
    return TryAgainLater(runtime, outcome.error());
  }
  CaptureAgainIfNeeded(runtime);
  if (!runtime.capture_next.empty() && !runtime.capturing && !runtime.captured) {
    Capture(runtime, std::exchange(runtime.capture_next, {}));
  }
  Reconcile(agent.identity());
  StopIfDone();
}

// A snapshot that started before the agent's children were gone lacks what they wrote.
void Guardian::CaptureAgainIfNeeded(AgentRuntime& runtime) {
  if (!runtime.captured || !runtime.captured_with_exec || !runtime.exec.gone) return;
  runtime.captured_with_exec = false;
  const auto run = ReadRunRecord(env_.files, env_.project, runtime.id.identity());
  const bool left_some = run && *run && (*run)->agent == runtime.id && !(*run)->survivors.empty();
  if (left_some) runtime.captured = false;
}

// Copies what a snapshot shows about the work into the hook record.
Result<void> Guardian::NoteWork(AgentRuntime& runtime, const SnapshotOutcome& outcome) {
  const WorkEvidence evidence{
      .test_command_runs = runtime.tests_run,
      .files_changed = outcome.is_new && outcome.paths_count > 0 && !runtime.head.empty(),
      .committed = !runtime.head.empty() && !outcome.head.empty() && outcome.head != runtime.head};
  runtime.head = outcome.head;
  BELAY_TRY_ASSIGN(const HookLock lock,
                   HookLedger::Lock(env_.files, env_.project, env_.lock_limit));
  const WallTime now = env_.clock.Wall();
  std::optional<WorkPhase> guessed;
  BELAY_TRY(hooks_.Change(
      lock, runtime.id.identity(), std::nullopt, "snapshot", outcome.id, [&](Hook& changed) {
        if (changed.snapshot != outcome.id) changed.last_checkpoint_at = now;
        changed.snapshot = outcome.id;
        changed.files_modified = outcome.paths;
        changed.files_modified_count = outcome.paths_count;
        CopySummary(runtime, changed);
        // No guess is needed for an agent whose hooks report its phase.
        if (!runtime.agent.runs() || runtime.HasHooks()) return;
        guessed = ConsiderPhase(runtime.phases, changed.work_phase, GuessPhase(evidence));
        const std::string by = evidence.test_command_runs ? "processes" : "git";
        if (guessed) SetPhase(changed, *guessed, now, by);
      }));
  // OnHooks notices what others wrote since.
  if (guessed) runtime.phase = guessed;
  RenderHookSoon(runtime.id.identity());
  return {};
}

// An agent or a person wrote a note or set a phase.
void Guardian::OnHooks() {
  const Result<void> caught_up = hooks_.CatchUp();
  if (!caught_up) return ReportProblem(caught_up.error());
  for (const IdentityName& name : hooks_.book().TakeChanged()) {
    RenderHookSoon(name);
    const Hook* hook = hooks_.book().Find(name);
    AgentRuntime* const found = FindRuntime(name);
    if (hook == nullptr || found == nullptr) continue;
    AgentRuntime& runtime = *found;
    const std::size_t said = hook->notes.size() + hook->phase_history.size();
    runtime.reported = runtime.reported || said != runtime.said;
    runtime.said = said;
    const bool moved =
        runtime.phase ? *runtime.phase != hook->work_phase : SaidBy(*hook, runtime.id);
    runtime.phase = hook->work_phase;
    const Identity* identity = identities_.book().Find(name);
    if (!moved || identity == nullptr || !IsRunning(identity->status)) continue;
    runtime.phases = {.is_set = true};
    if (runtime.summary) SetReportedPhase(*runtime.summary, hook->work_phase);
    Capture(runtime, fmt::format("phase {}", WorkPhaseName(hook->work_phase)));
  }
}

}  // namespace belay
