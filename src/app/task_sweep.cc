#include "app/task_sweep.h"

#include <fmt/core.h>

#include <optional>
#include <set>

#include "adapters/git/fields.h"
#include "adapters/git/stash.h"
#include "app/task_cleanup.h"
#include "app/task_context_file.h"
#include "app/task_place.h"
#include "app/task_timeout.h"
#include "app/task_worker.h"
#include "base/path.h"
#include "ledger/identity_ledger.h"

namespace belay {
namespace {

using Row = SweepOutcome::Row;

Result<Row> ResetTask(TaskSource& tasks, const Task& task, const std::string& why) {
  const auto reset = [&](Task& now, const TaskBook&) -> Result<void> {
    BELAY_TRY(CheckUnchanged(now, task));
    GiveBack(now);
    now.failure = why;
    // Its worker never had the work that was resumed for it: that still waits.
    if (now.resuming) return {};
    KeepUnrestored(now);
    now.suspended = false;
    now.context_path.clear();
    now.work = {};
    return {};
  };
  BELAY_TRY(tasks.Change(task.id, why, reset));
  const std::string kept =
      task.work.snapshot_id.empty() || !task.suspended
          ? std::string()
          : fmt::format("; its work is the snapshot {}", task.work.snapshot_id);
  return Row{task.id.text(), "reset", why + kept, task.owner};
}

// What stays in the worktree of the task, in words.
std::string LeftBehind(const Task& task, const std::vector<NotRestored>& left) {
  if (left.empty()) return {};
  return fmt::format("; {} file{} stay{} in {}, the first is {} ({})", left.size(),
                     left.size() == 1 ? "" : "s", left.size() == 1 ? "s" : "",
                     QuotePath(task.work.worktree), QuotePath(left[0].path), left[0].why);
}

Result<std::optional<Row>> SweepSuspended(Env& env, const TaskPlace& place, TaskSource& tasks,
                                          TaskArcs& arcs, const StateLock& lock, Task task) {
  const bool interrupted = task.work.cleaning;
  std::string left;
  if (interrupted) {
    BELAY_TRY_ASSIGN(FinishedSuspension done, FinishSuspension(env, place, tasks, arcs, task));
    if (done.unfinished) return *std::move(done.unfinished);
    left = LeftBehind(task, done.left);
    task = std::move(done.task);
  }
  if (task.suspended) {
    BELAY_TRY_ASSIGN(const FoundContext found, FindContext(env, place.project, lock, task));
    // A file that is there is judged when the task is resumed.
    const bool missing = !found.read && found.read.error().code != ErrorCode::kDamaged;
    if (missing) {
      BELAY_TRY_ASSIGN(
          Row row, ResetTask(tasks, task,
                             fmt::format("it was suspended, but {}", found.read.error().message)));
      BELAY_TRY(arcs.RemoveSuspended(task.arc, task.id));
      return std::optional(std::move(row));
    }
  }
  if (interrupted) {
    return std::optional(Row{task.id.text(), "finished", "its suspension was interrupted" + left});
  }
  if (!task.suspended) return std::optional<Row>();
  return std::optional(Row{task.id.text(), "suspended",
                           fmt::format("belay task resume {} continues it", task.id.text())});
}

// No worker has them any more: they stay in the worktree, in words.
std::string UncommittedIn(const Env& env, const Task& task) {
  if (task.worktree.empty()) return {};
  const auto files = UncommittedFiles(Git(env.programs, env.environment, task.worktree));
  if (!files || files->empty()) return {};
  return fmt::format("; {} uncommitted file{} stay{} in {}", files->size(),
                     files->size() == 1 ? "" : "s", files->size() == 1 ? "s" : "",
                     QuotePath(task.worktree));
}

// A worker that timed out without a context.
Result<std::optional<Row>> SweepRunning(Env& env, TaskSource& tasks, const Task& task, bool late) {
  if (task.status != TaskStatus::kInProgress || !late) return std::optional<Row>();
  BELAY_TRY_ASSIGN(const WorkerState worker, FindWorker(env, task.owner));
  if (worker.runs || worker.returns) {
    return std::optional(
        Row{task.id.text(), "running",
            fmt::format("{} is past its deadline and {}; belay stop {}", task.owner,
                        worker.runs ? "still runs" : "will be restarted", task.owner),
            task.owner});
  }
  const std::string uncommitted = UncommittedIn(env, task);
  BELAY_TRY_ASSIGN(
      Row row, ResetTask(tasks, task, fmt::format("{} timed out without a context", task.owner)));
  row.why += uncommitted;
  return std::optional(std::move(row));
}

const Identity* AgentOf(const IdentityBook& agents, const Task& task) {
  const Result<IdentityName> name = IdentityName::Parse(task.owner);
  return name ? agents.Find(*name) : nullptr;
}

Result<std::optional<Row>> SweepTask(Env& env, const TaskPlace& place, TaskSource& tasks,
                                     TaskArcs& arcs, const IdentityBook& agents,
                                     const std::string& id) {
  const TaskId task_id = *TaskId::Parse(id);
  // Another process suspends or resumes it right now.
  Result<StateLock> lock = LockTask(env, place.project, task_id, Duration::zero());
  if (!lock && lock.error().code == ErrorCode::kBusy) return std::optional<Row>();
  if (!lock) return std::move(lock).error();
  BELAY_TRY_ASSIGN(const TaskBook book, tasks.Read());
  const Task* task = book.Find(id);
  if (task == nullptr) return std::optional<Row>();
  if (task->suspended || task->work.cleaning) {
    return SweepSuspended(env, place, tasks, arcs, *lock, *task);
  }
  std::optional<WallTime> arc;
  if (!task->arc.is_standalone()) {
    BELAY_TRY_ASSIGN(arc, arcs.DeadlineOf(task->arc));
  }
  const WallTime now = env.clock.Wall();
  const bool late =
      (arc && *arc <= now) || MissedDeadline(book, *task, AgentOf(agents, *task), now);
  return SweepRunning(env, tasks, *task, late);
}

bool NeedsSweep(const Task& task) {
  return task.suspended || task.work.cleaning || task.status == TaskStatus::kInProgress;
}

// A process that acknowledged a resume, and was killed before it removed the stash entry.
Result<void> SweepStash(Env& env, const Layout& project, const TaskBook& book,
                        SweepOutcome& outcome) {
  const Git git(env.programs, env.environment, project.Root());
  const std::string common(ParentPath(project.Vault()));
  BELAY_TRY_ASSIGN(const std::set<ObjectId> there, StashedCommits(git, env.files, common));
  if (there.empty()) return {};
  for (const auto& [id, task] : book.tasks()) {
    const Result<ObjectId> commit = ObjectId::Parse(task.work.snapshot);
    if (!commit || !IsAcknowledged(task) || !there.contains(*commit)) continue;
    DropStashEntry(env, project, task.id, task.work.snapshot);
    outcome.rows.push_back({id, "finished", "its stash entry was no longer needed"});
  }
  return {};
}

}  // namespace

Result<SweepOutcome> SweepTasks(Env& env) {
  BELAY_TRY_ASSIGN(const TaskPlace place,
                   FindTaskPlace(env, VaultUse::kWrite, TaskMistakes::kWarn));
  OwnTasks tasks(env.files, env.clock, place.project);
  NoArcs arcs;
  BELAY_TRY_ASSIGN(const TaskBook book, tasks.Read());
  IdentityLedger identities(env.files, env.clock, place.project);
  BELAY_TRY(identities.CatchUp());
  SweepOutcome outcome;
  for (const auto& [id, task] : book.tasks()) {
    if (!NeedsSweep(task)) continue;
    const bool missed =
        MissedDeadline(book, task, AgentOf(identities.book(), task), env.clock.Wall());
    Result<std::optional<Row>> row = std::optional<Row>();
    if (missed) row = SuspendTimedOut(env, place, book, task);
    if (row && !*row) row = SweepTask(env, place, tasks, arcs, identities.book(), id);
    if (!row) {
      outcome.warnings.push_back(fmt::format("task {}: {}", id, row.error().message));
    } else if (*row) {
      outcome.rows.push_back(**std::move(row));
    }
  }
  if (const Result<void> swept = SweepStash(env, place.project, book, outcome); !swept) {
    outcome.warnings.push_back(swept.error().message);
  }
  if (const Result<void> rendered = tasks.Render(); !rendered) {
    outcome.warnings.push_back(rendered.error().message);
  }
  return outcome;
}

}  // namespace belay
