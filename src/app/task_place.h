// Where tasks are recorded, and where they are worked on.
//
// A worktree has the uncommitted work of one task at a time, because suspending a task takes all of
// it. So a task in progress records its worktree, and no other task is claimed or resumed there
// (CheckFree). Where suspending leaves files alone (stash_on_suspend: false), tasks may share one.

#ifndef BELAY_APP_TASK_PLACE_H_
#define BELAY_APP_TASK_PLACE_H_

#include <memory>
#include <string>
#include <vector>

#include "adapters/tasks/task_source.h"
#include "app/env.h"
#include "app/snapshots.h"
#include "base/result.h"
#include "engine/task/task_context.h"
#include "ledger/task_ledger.h"
#include "store/layout.h"
#include "store/state_lock.h"
#include "store/vault.h"

namespace belay {

class OwnTasks final : public TaskSource {
 public:
  OwnTasks(FileSystem& files, const Clock& clock, const Layout& project)
      : files_(files), project_(project), ledger_(files, clock, project) {}

  std::string_view name() const override { return "belay"; }
  Result<TaskBook> Read() override;
  Result<Task> Change(const TaskId& id, std::string_view why, const Edit& edit) override;
  // Brings tasks.json up to date; the journal counts without it.
  Result<void> Render();

 private:
  FileSystem& files_;
  const Layout& project_;
  TaskLedger ledger_;
};
// If tasks.json can't be written, that is said.
void RenderTasks(Env& env, OwnTasks& tasks);

// What the operations on tasks work with.
struct TaskPlace {
  Layout project;
  TaskContextSettings settings;

  bool CleansWorktrees() const { return settings.enabled && settings.stash_on_suspend; }
};
// A mistake in the settings is an error, unless the operation saves work: then the defaults count,
// with a warning. Without a vault: kNotFound.
enum class TaskMistakes { kRefuse, kWarn };
Result<TaskPlace> FindTaskPlace(Env& env, VaultUse use, TaskMistakes mistakes);

// Held while a task is suspended, resumed or swept: one at a time. kBusy after `limit`.
Result<StateLock> LockTask(Env& env, const Layout& project, const TaskId& id, Duration limit);

// One task, with its lock, from the beginning to the end of an operation on it.
class TaskOperation {
 public:
  // kNotFound when there is no such task. kBusy after a few seconds.
  static Result<std::unique_ptr<TaskOperation>> Begin(Env& env, const TaskId& id);
  TaskOperation(const TaskOperation&) = delete;
  TaskOperation& operator=(const TaskOperation&) = delete;

  Env& env;
  const TaskPlace place;
  const StateLock lock;
  OwnTasks tasks;
  NoArcs arcs;
  TaskBook book;  // as it was at the beginning
  Task task;

 private:
  TaskOperation(Env& with, TaskPlace where, StateLock held, const TaskId& id)
      : env(with),
        place(std::move(where)),
        lock(std::move(held)),
        tasks(env.files, env.clock, place.project),
        task{.id = id} {}
};

// The worktree at that path, if it is one of this project; its snapshots are the worker's.
// kNotFound: it is none.
Result<SnapshotPlace> PlaceOfWork(Env& env, const Layout& project, const std::string& worktree,
                                  const std::string& worker);
// The worktree around the current folder, or else the project's own.
std::string WorktreeHere(const Env& env, const Layout& project);

// Held from CheckFree to the record of what is in the worktree now.
Result<StateLock> LockWorktree(Env& env, const Layout& project, const std::string& worktree);
// kRefused when the work of another task than `id` is in that worktree; the hint is the way out.
Result<void> CheckFree(const TaskPlace& place, const TaskBook& book, const std::string& worktree,
                       const TaskId& id);

// kBusy: another process has changed the task since it was `seen`.
Result<void> CheckUnchanged(const Task& now, const Task& seen);

// The command that lets a task go on that isn't worked on; empty: it is.
std::string HowToContinue(const Task& task);

// The snapshots of task.kept that still exist.
Result<std::vector<SavedSnapshot>> KeptSnapshots(const Git& git, const Task& task);

}  // namespace belay

#endif  // BELAY_APP_TASK_PLACE_H_
