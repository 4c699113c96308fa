// Suspends a task: its work is stored, a context file says where its worker stopped, and the
// worktree goes back to HEAD. Another worker continues from there (app/task_resume.h).
//
// clang-format off
//   step                                   after a kill right behind it
//   -------------------------------------  ----------------------------------------------------------
//   snapshot of the worktree               nothing has happened yet: the work is in the tree, and its
//   context file, with a copy              worker still has the task
//   task record: suspended, `cleaning`     the work is in the snapshot; the sweep continues from here
//   arc entry, TASK_SUSPENDED
//   entry of `git stash list`
//   the tree is cleaned                    each file is as captured or as in HEAD
//   task record: cleaned
// clang-format on
//
// A task that was resumed as often as allowed fails for good instead: the same steps, with `failed`
// in place of `suspended`. Its snapshot is kept and named.

#ifndef BELAY_APP_TASK_SUSPEND_H_
#define BELAY_APP_TASK_SUSPEND_H_

#include <optional>
#include <string>
#include <vector>

#include "adapters/tasks/task_source.h"
#include "app/env.h"
#include "app/snapshots.h"
#include "app/task_list.h"
#include "base/result.h"
#include "snapshot/clean.h"
#include "store/document.h"

namespace belay {

// Held while a task is suspended, resumed or swept: one at a time. kBusy after a few seconds.
Result<StateLock> LockTask(Env& env, const Layout& project, const TaskId& id, Duration limit);
// The context file of a task below the project's root, with its copy in the vault.
Document ContextDocument(const Layout& project, const std::string& name);
// The worktree at that path, if it is one of this project; its snapshots are the worker's.
Result<SnapshotPlace> PlaceOfWork(Env& env, const Layout& project, const std::string& worktree,
                                  const std::string& worker);

// The context file of a suspended or resumed task. `read`: kNotFound, it is missing, also in the
// vault; kRefused, something else is in its place; kDamaged, it can't be read as one.
struct FoundContext {
  Result<ParsedContext> read = Error{ErrorCode::kNotFound, "its context file is missing"};
  std::string stamp = {};  // for ReplaceDocument
  bool restored = false;   // it was missing, and the vault's copy is back
};
// An error says nothing about the file: the disk is full, rights are missing.
Result<FoundContext> FindContext(Env& env, const Layout& project, const StateLock& lock,
                                 const Task& task);

// Tells a person about a task that has failed for good. Gives the tasks that wait for it.
Result<std::vector<std::string>> ReportFailed(Env& env, const Layout& project, const Task& task,
                                              const TaskBook& book);

struct SuspendTaskRequest {
  TaskId id;
  SuspendReason reason = SuspendReason::kSignal;
  std::string last_action = {};
  std::string state = {};                  // what the worker wrote; cut to the settings' length
  std::optional<std::string> worker = {};  // nothing: the caller, or else the owner
};
struct SuspendTaskOutcome {
  Task task;                                 // as recorded
  std::vector<std::string> files = {};       // that went back to HEAD
  std::vector<NotRestored> left = {};        // that stay in the tree, and why
  std::vector<std::string> dependents = {};  // of a task that has failed for good
  std::optional<Error> unfinished = {};      // why the tree isn't clean yet; the sweep goes on
};
// kRefused: it isn't in progress, or its worker isn't the caller and runs, or will be restarted.
Result<SuspendTaskOutcome> SuspendTask(Env& env, const SuspendTaskRequest& request);

// Where the work was, and what holds it, for a caller that knows both.
struct StoredWork {
  SnapshotPlace at;
  SavedSnapshot snapshot;
};
// The steps after the record. May be repeated at any time.
Result<SuspendTaskOutcome> FinishSuspension(Env& env, const TaskPlace& place, TaskSource& tasks,
                                            TaskArcs& arcs, const Task& task,
                                            const std::optional<StoredWork>& work = {});

struct SweepOutcome {
  struct Row {
    std::string id;
    std::string what;  // "finished", "reset", "suspended", "running"
    std::string why;
    std::string owner = {};  // of a task that was reset
  };
  std::vector<Row> rows = {};  // by id; tasks that need nothing are left out
  std::vector<std::string> warnings = {};
};
// After a deadline or a crash: finishes interrupted suspensions and acknowledgements, and resets to
// pending each task whose worker timed out without a context, or whose context file is lost.
Result<SweepOutcome> SweepTasks(Env& env);

}  // namespace belay

#endif  // BELAY_APP_TASK_SUSPEND_H_
