// belay's own list of tasks: adding, listing, finishing, reopening; waves and their deadlines.

#ifndef BELAY_APP_TASK_LIST_H_
#define BELAY_APP_TASK_LIST_H_

#include <optional>
#include <string>
#include <vector>

#include "app/env.h"
#include "app/task_place.h"
#include "base/ids.h"
#include "base/result.h"
#include "model/task.h"

namespace belay {

struct AddTaskRequest {
  std::string title;
  std::optional<TaskId> id = {};  // nothing: t1, t2, ...
  std::string description = {};
  std::vector<std::string> files = {};
  std::vector<std::string> after = {};  // tasks that must be completed first
  ArcId arc = ArcId::Standalone();
  std::string wave = {};
  std::optional<WallTime> deadline = {};
};
Result<Task> AddTask(Env& env, const AddTaskRequest& request);

// One task as it is shown.
struct TaskRow {
  const Task* task;                         // in the book, which outlives the row
  std::optional<WallTime> deadline = {};    // its own or its wave's
  std::vector<std::string> waits_for = {};  // ids
  bool blocked = false;                     // one of them has failed
};
std::vector<TaskRow> TaskRows(const TaskBook& book);
Result<TaskBook> ReadTasks(Env& env);

// Sets the deadline of a wave.
Result<void> SetWaveDeadline(Env& env, const std::string& wave, WallTime deadline);

struct FinishTaskRequest {
  TaskId id;
  std::optional<std::string> worker = {};  // that must be the owner
};
struct FinishTaskOutcome {
  Task task;
  std::string worktree = {};                  // of its worker
  std::vector<std::string> uncommitted = {};  // files there
  std::vector<std::string> kept = {};         // snapshots with work that was never put back
};
// The owner, or a person, reports that it is done. kRefused for a task that isn't in progress, or
// belongs to another worker than the one that is named.
Result<FinishTaskOutcome> FinishTask(Env& env, const FinishTaskRequest& request);

struct ReopenTaskOutcome {
  Task task;
  std::vector<std::string> kept = {};  // snapshots with work that isn't in a worktree
  std::string left_in = {};            // the worktree in which uncommitted work stays; empty: none
};
// A person lets a task go on that is stuck. One that has failed for good is suspended again, as if
// it had never been resumed, or pending if there is nothing to resume. One that is finished, or
// whose worker has ended, is pending. kRefused: it is suspended, or its worker runs or will be
// restarted.
Result<ReopenTaskOutcome> ReopenTask(Env& env, const TaskId& id);

// A snapshot was restored into that worktree. Tasks whose unrestored work it holds needn't keep and
// name it any more.
Result<void> NoteSnapshotRestored(Env& env, const Layout& project, const std::string& commit,
                                  const std::string& worktree);

}  // namespace belay

#endif  // BELAY_APP_TASK_LIST_H_
