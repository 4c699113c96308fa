#include "app/task_list.h"

#include <fmt/core.h>

#include <algorithm>

#include "adapters/git/fields.h"
#include "app/session_place.h"
#include "app/settings.h"
#include "app/task_cleanup.h"
#include "app/task_worker.h"

namespace belay {
namespace {

Error CannotFinish(const Task& task, std::string_view why, std::string hint) {
  return {ErrorCode::kRefused, fmt::format("task {} {}", task.id.text(), why), std::move(hint)};
}

Task NewTask(const AddTaskRequest& request, TaskId id, WallTime now) {
  Task task{.id = std::move(id), .title = request.title, .description = request.description};
  task.files = request.files.empty() ? FileOwnership(request.description) : request.files;
  task.depends_on = request.after;
  task.arc = request.arc;
  task.wave = request.wave;
  task.deadline = request.deadline;
  task.run = RunName(now);
  return task;
}

}  // namespace

Result<Task> AddTask(Env& env, const AddTaskRequest& request) {
  BELAY_TRY_ASSIGN(const Layout project, OpenProject(env, VaultUse::kWrite));
  TaskLedger ledger(env.files, env.clock, project);
  BELAY_TRY_ASSIGN(const TaskLock lock, TaskLedger::Lock(env.files, project));
  BELAY_TRY(ledger.CatchUp());
  TaskId id = request.id ? *request.id : *TaskId::Parse(ledger.book().NextId());
  BELAY_TRY_ASSIGN(Task task,
                   ledger.Add(lock, NewTask(request, std::move(id), env.clock.Wall()), "added"));
  if (const Result<void> rendered = ledger.Render(lock); !rendered) {
    env.say(
        fmt::format("recorded, but tasks.json is not up to date: {}", rendered.error().message));
  }
  return task;
}

std::vector<TaskRow> TaskRows(const TaskBook& book) {
  std::vector<TaskRow> rows;
  rows.reserve(book.tasks().size());
  for (const auto& [id, task] : book.tasks()) {
    TaskRow row{.task = &task, .deadline = book.DeadlineOf(task)};
    if (!IsFinished(task.status)) {
      for (const Task* other : book.Waiting(task)) {
        row.waits_for.push_back(other->id.text());
        row.blocked = row.blocked || other->status == TaskStatus::kFailed;
      }
    }
    rows.push_back(std::move(row));
  }
  // The order of adding; ids of the same moment by name.
  std::ranges::stable_sort(rows, {}, [](const TaskRow& row) { return row.task->created_at; });
  return rows;
}

Result<TaskBook> ReadTasks(Env& env) {
  BELAY_TRY_ASSIGN(const Layout project, OpenProject(env, VaultUse::kRead));
  TaskLedger ledger(env.files, env.clock, project);
  BELAY_TRY(ledger.CatchUp());
  return std::move(ledger).TakeBook();
}

Result<void> SetWaveDeadline(Env& env, const std::string& wave, WallTime deadline) {
  BELAY_TRY_ASSIGN(const Layout project, OpenProject(env, VaultUse::kWrite));
  TaskLedger ledger(env.files, env.clock, project);
  BELAY_TRY_ASSIGN(const TaskLock lock, TaskLedger::Lock(env.files, project));
  BELAY_TRY(ledger.SetWave(lock, wave, deadline));
  return ledger.Render(lock);
}

namespace {

Result<void> CheckFinish(const Task& task, const std::optional<std::string>& owner) {
  const std::string& id = task.id.text();
  if (task.suspended) {
    return CannotFinish(task, "is suspended, and its work isn't in its worktree",
                        fmt::format("belay task resume {}, then finish it", id));
  }
  if (task.status != TaskStatus::kInProgress && task.status != TaskStatus::kCompleted) {
    return CannotFinish(task, fmt::format("is {}", TaskStatusName(task.status)),
                        HowToContinue(task));
  }
  if (owner && *owner != task.owner) {
    return CannotFinish(task, fmt::format("belongs to {}", task.owner),
                        "omit --worker to finish it for its owner");
  }
  return {};
}

// Work that isn't committed stays in the tree, and isn't part of the finished task for git.
void AddUncommitted(Env& env, const Layout& project, FinishTaskOutcome& outcome) {
  const Result<WorkerState> worker = FindWorker(env, outcome.task.owner);
  if (!worker) return;
  outcome.worktree = WorktreeOf(env, project, outcome.task, worker->identity);
  const Git git(env.programs, env.environment, outcome.worktree);
  if (const auto files = UncommittedFiles(git)) outcome.uncommitted = QuotePaths(*files);
}

std::vector<std::string> KeptIds(Env& env, const Layout& project, const Task& task) {
  std::vector<std::string> ids;
  const Git git(env.programs, env.environment, project.Root());
  const auto kept = KeptSnapshots(git, task);
  if (!kept) return ids;
  for (const SavedSnapshot& one : *kept) ids.push_back(one.id.text());
  return ids;
}

}  // namespace

Result<FinishTaskOutcome> FinishTask(Env& env, const FinishTaskRequest& request) {
  BELAY_TRY_ASSIGN(const Layout project, OpenProject(env, VaultUse::kWrite));
  std::optional<std::string> owner;
  if (request.worker) {
    BELAY_TRY_ASSIGN(const Worker worker, ResolveWorker(env, project, request.worker));
    owner = worker.owner();
  }
  OwnTasks tasks(env.files, env.clock, project);
  const auto finish = [&](Task& task, const TaskBook&) -> Result<void> {
    BELAY_TRY(CheckFinish(task, owner));
    task.status = TaskStatus::kCompleted;
    task.resuming = false;
    KeepUnrestored(task);
    return {};
  };
  BELAY_TRY_ASSIGN(Task done, tasks.Change(request.id, "done", finish));
  FinishTaskOutcome outcome{.task = std::move(done)};
  DropIfAcknowledged(env, project, outcome.task);
  RenderTasks(env, tasks);
  AddUncommitted(env, project, outcome);
  outcome.kept = KeptIds(env, project, outcome.task);
  return outcome;
}

namespace {

Result<void> CheckReopen(const Task& task) {
  const std::string& id = task.id.text();
  if (task.work.cleaning) {
    return Error{ErrorCode::kRefused, fmt::format("task {}: its suspension was interrupted", id),
                 "belay task sweep finishes it"};
  }
  if (!task.suspended) return {};
  return Error{ErrorCode::kRefused, fmt::format("task {} is suspended", id), HowToContinue(task)};
}

// `gone`: the worktree in which its work was, isn't there any more.
void Reopen(Task& task, bool gone, WallTime now) {
  if (gone) LoseWorktree(task);
  const bool can_resume = task.permanently_failed && !task.context_path.empty();
  if (can_resume) {
    task.status = TaskStatus::kInProgress;
    task.suspended = true;
  } else {
    GiveBack(task);
    // Of a resumed task that no worker has had yet, the work still waits.
    if (!task.resuming || gone) {
      KeepUnrestored(task);
      task.resuming = false;
      task.context_path.clear();
      task.work = {};
    }
  }
  if (task.permanently_failed) task.resume_count = 0;
  task.permanently_failed = false;
  task.failure.clear();
  task.reopened_at = now;
}

}  // namespace

Result<ReopenTaskOutcome> ReopenTask(Env& env, const TaskId& id) {
  BELAY_TRY_ASSIGN(const std::unique_ptr<TaskOperation> operation, TaskOperation::Begin(env, id));
  const Task& before = operation->task;
  BELAY_TRY(CheckReopen(before));
  ReopenTaskOutcome outcome{.task = before};
  std::string worktree = before.worktree;
  if (before.status == TaskStatus::kInProgress) {
    BELAY_TRY_ASSIGN(const WorkerState worker, FindWorker(env, before.owner));
    BELAY_TRY(CheckStopped(env, worker, "reopen its task"));
    worktree = WorktreeOf(env, operation->place.project, before, worker.identity);
  }
  const std::string& where = worktree.empty() ? before.work.worktree : worktree;
  const bool gone = !where.empty() && IsMissing(env.files.Inspect(where));
  if (before.status == TaskStatus::kInProgress && !gone) outcome.left_in = worktree;
  const auto reopen = [&](Task& task, const TaskBook&) -> Result<void> {
    BELAY_TRY(CheckUnchanged(task, before));
    if (task.status != TaskStatus::kPending) Reopen(task, gone, env.clock.Wall());
    return {};
  };
  BELAY_TRY_ASSIGN(outcome.task, operation->tasks.Change(id, "reopened", reopen));
  outcome.kept = KeptIds(env, operation->place.project, outcome.task);
  RenderTasks(env, operation->tasks);
  return outcome;
}

Result<void> NoteSnapshotRestored(Env& env, const Layout& project, const std::string& commit,
                                  const std::string& worktree) {
  OwnTasks tasks(env.files, env.clock, project);
  BELAY_TRY_ASSIGN(const TaskBook book, tasks.Read());
  const auto its = [&](const Task& task) {
    return task.worktree.empty() || task.worktree == worktree;
  };
  const auto put_back = [&](const Task& task) {
    return task.work.snapshot == commit && !task.work.restored && !task.suspended &&
           task.status == TaskStatus::kInProgress && task.worktree == worktree;
  };
  for (const auto& [id, known] : book.tasks()) {
    const bool kept = std::ranges::find(known.kept, commit) != known.kept.end();
    if (!its(known) || (!kept && !put_back(known))) continue;
    BELAY_TRY_ASSIGN(const Task task, tasks.Change(known.id, "its earlier work was restored",
                                                   [&](Task& now, const TaskBook&) {
                                                     std::erase(now.kept, commit);
                                                     if (put_back(now)) now.work.restored = true;
                                                     return Result<void>();
                                                   }));
    if (!task.resuming) DropStashEntry(env, project, task.id, commit);
    RenderTasks(env, tasks);
  }
  return {};
}

}  // namespace belay
