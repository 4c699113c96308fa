// Suspends a task: its work is stored, a context file says where its worker stopped, and the
// worktree goes back to HEAD. Another worker continues from there (app/task_resume.h).
//
// clang-format off
//   step                                   after a kill right behind it
//   -------------------------------------  ----------------------------------------------------------
//   snapshot of the worktree               nothing has happened yet: the work is in the tree, and its
//   context file, with a copy              worker still has the task
//   task record: suspended, `cleaning`     the work is in the snapshot; the sweep continues from here
//   arc entry, TASK_SUSPENDED              (app/task_cleanup.h)
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

#include "app/env.h"
#include "app/task_cleanup.h"
#include "base/result.h"
#include "model/task.h"

namespace belay {

struct SuspendTaskRequest {
  TaskId id;
  SuspendReason reason = SuspendReason::kSignal;
  std::string last_action = {};
  std::string state = {};                  // what the worker wrote; cut to the settings' length
  std::optional<std::string> worker = {};  // nothing: the caller, or else the owner
  // Where its worktree was moved to. Nothing: where the task was claimed.
  std::optional<std::string> worktree = {};
  bool keep_tree = false;  // as with stash_on_suspend: false
};
using SuspendTaskOutcome = FinishedSuspension;

// kRefused: it isn't in progress; its worker isn't the caller and runs, or will be restarted; a
// merge or rebase is under way in its worktree; or another task's work is there too. kNotFound: its
// worktree is gone.
Result<SuspendTaskOutcome> SuspendTask(Env& env, const SuspendTaskRequest& request);

}  // namespace belay

#endif  // BELAY_APP_TASK_SUSPEND_H_
