#include "engine/task/deadline.h"

#include <fmt/core.h>

namespace belay {

namespace {

// A worker that has suspended its task still has its deadline; a later one under its name hasn't.
bool HasDeadlineOf(const Task& task, const Identity* worker) {
  return !task.suspended || (worker != nullptr && worker->id.text() == task.work.worker);
}

}  // namespace

std::optional<EarliestDeadline> DeadlineFor(const TaskBook& book, const Task* task,
                                            const Identity* worker) {
  std::optional<EarliestDeadline> earliest;
  const bool counts = task != nullptr && HasDeadlineOf(*task, worker);
  const std::optional<WallTime> at = counts ? book.DeadlineOf(*task) : std::nullopt;
  if (at) {
    const auto wave = book.waves().find(task->wave);
    const bool of_wave = wave != book.waves().end() && wave->second == *at;
    earliest = {*at, of_wave ? SuspendReason::kWaveTimeout : SuspendReason::kTurnLimit};
  }
  const bool own = worker != nullptr && worker->deadline;
  if (own && (!earliest || *worker->deadline < earliest->at)) {
    earliest = {*worker->deadline, SuspendReason::kTurnLimit};
  }
  return earliest;
}

// Its name may get other tasks later.
bool HasTimedOut(const Task& task, const Identity& worker) {
  if (!IsTimedOut(worker)) return false;
  return !worker.exit || task.changed_at <= worker.exit->at;
}

BootTime DeadlineClock::DueAt(WallTime deadline, WallTime wall, BootTime boot) {
  if (due_.size() >= kMostKept) due_.clear();
  return due_.try_emplace(deadline, boot + (deadline - wall)).first->second;
}

DeadlineStep DecideDeadline(const DeadlineFacts& facts, BootTime now, Duration warning) {
  const bool past = facts.due <= now;
  if (!facts.runs) {
    if (!facts.unfinished) return {};
    if (past || facts.timed_out) return {DeadlineAction::kSweep};
    return {DeadlineAction::kNothing, facts.due};
  }
  if (facts.stopping) return {};
  if (past) return {facts.stoppable ? DeadlineAction::kStop : DeadlineAction::kNothing};
  const BootTime warn_at = facts.due - warning;
  if (facts.warned) return {DeadlineAction::kNothing, facts.due};
  if (warn_at <= now) return {DeadlineAction::kWarn, facts.due};
  return {DeadlineAction::kNothing, warn_at};
}

std::string DeadlineWarning(const Task* task, WallTime deadline) {
  const std::string at = FormatUtc(deadline);
  if (task == nullptr) {
    return fmt::format(
        "Your deadline is {}. Then belay stops you, and keeps what is in your worktree. Note now "
        "what the next worker must know (belay hook note), and end your turn.",
        at);
  }
  return fmt::format(
      "Your deadline is {0}. Suspend your task now: belay task suspend {1} --reason turn_limit "
      "--last-action TEXT --state-file FILE, with what you did last, and a file that says what the "
      "next worker must know. Then end your turn. If you don't, belay stops you at the deadline, "
      "and the next worker has only what belay could see.",
      at, task->id.text());
}

}  // namespace belay
