// What follows the record that makes a task suspended: the arc's entry, TASK_SUSPENDED, the entry
// of `git stash list`, and cleaning the worktree. Each step may be repeated at any time, so a
// process that was killed in between is continued by the sweep, or by the resume.

#ifndef BELAY_APP_TASK_CLEANUP_H_
#define BELAY_APP_TASK_CLEANUP_H_

#include <optional>
#include <string>
#include <vector>

#include "adapters/tasks/task_source.h"
#include "app/env.h"
#include "app/snapshots.h"
#include "app/task_place.h"
#include "base/result.h"
#include "snapshot/clean.h"

namespace belay {

// Where the work was, and what holds it, for a caller that knows both.
struct StoredWork {
  SnapshotPlace at;
  SavedSnapshot snapshot;
};
struct FinishedSuspension {
  Task task;                                 // as recorded
  std::vector<std::string> files = {};       // that went back to HEAD
  std::vector<NotRestored> left = {};        // that stay in the tree, and why
  std::vector<std::string> dependents = {};  // of a task that has failed for good
  std::optional<Error> unfinished = {};      // why the tree isn't clean yet; the sweep goes on
};
Result<FinishedSuspension> FinishSuspension(Env& env, const TaskPlace& place, TaskSource& tasks,
                                            TaskArcs& arcs, const Task& task,
                                            const std::optional<StoredWork>& work = {});

// Tells a person about a task that has failed for good. Gives the tasks that wait for it.
Result<std::vector<std::string>> ReportFailed(Env& env, const Layout& project, const Task& task,
                                              const TaskBook& book);

// Removes the entry of `git stash list` for work that is back in its tree. If that fails, it is
// said, and the sweep tries again.
void DropStashEntry(Env& env, const Layout& project, const TaskId& id, const std::string& snapshot);
// The same for a task whose worker has its earlier work; for any other, nothing.
void DropIfAcknowledged(Env& env, const Layout& project, const Task& task);

}  // namespace belay

#endif  // BELAY_APP_TASK_CLEANUP_H_
