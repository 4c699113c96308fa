// The work of an agent: kept in snapshots, and what is known about it from them and from its own
// words.

#include <fmt/core.h>

#include <utility>

#include "guardian/guardian.h"

namespace belay {
namespace {

constexpr int kMostCaptures = 5;  // of what an agent left, before its successor starts without one

// Whether this incarnation has said which phase it is in: one that we hear of first, since it spoke
// before we knew it.
bool SaidBy(const Hook& hook, const AgentId& agent) {
  if (hook.phase_history.empty()) return false;
  const PhaseChange& last = hook.phase_history.back();
  return last.incarnation == agent.incarnation() && last.source != "spawn";
}

}  // namespace

// One at a time for each agent: what is wanted meanwhile comes after.
void Guardian::Capture(Ward& ward, std::string message) {
  if (ward.capturing) {
    ward.capture_next = std::move(message);
    return;
  }
  const Identity* identity = identities_.book().Find(ward.id.identity());
  // Outside a repository there is nowhere to keep one.
  if (!doors_.project.InRepository()) {
    ward.captured = true;
    return;
  }
  ward.capturing = true;
  ward.captures_end = identity != nullptr && !IsRunning(identity->status);
  ward.captured_with_exec = ward.exec.runs();
  // Its successor waits for the last one, and whoever wants it stopped for the one before that.
  const bool waited_for = ward.captures_end || ward.end_after_capture;
  snapshots_.Take(
      ward.id.identity(), std::move(message),
      waited_for ? Snapshotter::Haste::kWaitedFor : Snapshotter::Haste::kOrdinary,
      [this, id = ward.id](const Result<SnapshotOutcome>& outcome) { OnCaptured(id, outcome); });
}

void Guardian::CaptureThenEnd(Ward& ward) {
  ward.end_after_capture = true;
  snapshots_.Hurry(ward.id.identity());
  Capture(ward, "before it is stopped");
  // Outside a repository there is nothing to wait for.
  if (!ward.capturing) EndProcesses(ward);
}

void Guardian::OnCaptured(const AgentId& agent, const Result<SnapshotOutcome>& outcome) {
  const auto found = wards_.find(agent.identity());
  if (found == wards_.end() || found->second.id != agent) return StopIfDone();
  Ward& ward = found->second;
  ward.capturing = false;
  ward.captured = ward.captures_end;
  ward.captured_at = loop_.Now();
  if (outcome) {
    const Result<void> noted = NoteWork(ward, *outcome);
    // Its successor is told of the last one. If somebody has the lock, it is taken again.
    if (!noted && ward.captured && noted.error().code == ErrorCode::kBusy) {
      ward.captured = false;
      return TryAgainLater(ward, noted.error());
    }
    if (!noted) Complain(noted.error());
  }
  const std::string lack = outcome ? "" : fmt::format("no snapshot: {}", outcome.error().message);
  if (!lack.empty() && lack != ward.lack) Note(agent, lack);
  ward.lack = lack;
  if (std::exchange(ward.end_after_capture, false)) EndProcesses(ward);
  // A successor may change what isn't kept yet, so it waits while another try may succeed.
  const bool may_succeed = !outcome && outcome.error().code != ErrorCode::kNotFound;
  if (may_succeed && ward.captured && ++ward.failed_captures < kMostCaptures) {
    ward.captured = false;
    return TryAgainLater(ward, outcome.error());
  }
  CaptureAgainIfNeeded(ward);
  if (!ward.capture_next.empty() && !ward.capturing && !ward.captured) {
    Capture(ward, std::exchange(ward.capture_next, {}));
  }
  Attend(agent.identity());
  StopIfDone();
}

// What children that outlived it wrote isn't in a snapshot that was begun before they were gone.
void Guardian::CaptureAgainIfNeeded(Ward& ward) {
  if (!ward.captured || !ward.captured_with_exec || !ward.exec.gone) return;
  ward.captured_with_exec = false;
  const auto run = ReadRunRecord(doors_.files, doors_.project, ward.id.identity());
  const bool left_some = run && *run && (*run)->agent == ward.id && !(*run)->survivors.empty();
  if (left_some) ward.captured = false;
}

// What a snapshot tells about the work goes into the hook.
Result<void> Guardian::NoteWork(Ward& ward, const SnapshotOutcome& outcome) {
  const WorkEvidence evidence{
      .test_command_runs = ward.tests_run,
      .files_changed = outcome.is_new && outcome.paths_count > 0 && !ward.head.empty(),
      .committed = !ward.head.empty() && !outcome.head.empty() && outcome.head != ward.head};
  ward.head = outcome.head;
  BELAY_TRY_ASSIGN(const HookLock lock,
                   HookLedger::Lock(doors_.files, doors_.project, doors_.lock_limit));
  const WallTime now = doors_.clock.Wall();
  std::optional<WorkPhase> guessed;
  BELAY_TRY(hooks_.Change(
      lock, ward.id.identity(), std::nullopt, "snapshot", outcome.id, [&](Hook& changed) {
        if (changed.snapshot != outcome.id) changed.last_checkpoint_at = now;
        changed.snapshot = outcome.id;
        changed.files_modified = outcome.paths;
        changed.files_modified_count = outcome.paths_count;
        TakeHearing(ward, changed);
        // An agent whose hooks tell what it does needs no guessing.
        if (!ward.agent.runs() || ward.HasHooks()) return;
        guessed = ConsiderPhase(ward.phases, changed.work_phase, GuessPhase(evidence));
        const std::string by = evidence.test_command_runs ? "processes" : "git";
        if (guessed) SetPhase(changed, *guessed, now, by);
      }));
  // What was said meanwhile is for OnHooks to notice.
  if (guessed) ward.phase = guessed;
  RenderHookSoon(ward.id.identity());
  return {};
}

// Somebody wrote a note or named a phase.
void Guardian::OnHooks() {
  const Result<void> caught_up = hooks_.CatchUp();
  if (!caught_up) return Complain(caught_up.error());
  for (const IdentityName& name : hooks_.book().TakeChanged()) {
    RenderHookSoon(name);
    const Hook* hook = hooks_.book().Find(name);
    const auto found = wards_.find(name);
    if (hook == nullptr || found == wards_.end()) continue;
    Ward& ward = found->second;
    const std::size_t said = hook->notes.size() + hook->phase_history.size();
    ward.told = ward.told || said != ward.said;
    ward.said = said;
    const bool moved = ward.phase ? *ward.phase != hook->work_phase : SaidBy(*hook, ward.id);
    ward.phase = hook->work_phase;
    const Identity* identity = identities_.book().Find(name);
    if (!moved || identity == nullptr || !IsRunning(identity->status)) continue;
    ward.phases = {.told = true};
    if (ward.hearing) HearPhase(*ward.hearing, hook->work_phase);
    Capture(ward, fmt::format("phase {}", WorkPhaseName(hook->work_phase)));
  }
}

}  // namespace belay
