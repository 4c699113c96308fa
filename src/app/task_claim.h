// Claiming a task, which gives it to one worker and to no other, and what follows from a claim.

#ifndef BELAY_APP_TASK_CLAIM_H_
#define BELAY_APP_TASK_CLAIM_H_

#include <optional>
#include <string>
#include <string_view>

#include "app/env.h"
#include "app/task_place.h"
#include "base/ids.h"
#include "base/result.h"
#include "model/task.h"

namespace belay {

struct ClaimTaskRequest {
  TaskId id;
  std::optional<std::string> worker = {};  // for ResolveWorker
  // For a worker that isn't started yet: the session that it will have. Such a claim doesn't
  // acknowledge a resume; the worker does, by its own claim or when its session starts.
  std::optional<std::string> session = {};
  // Where it works. Nothing: the agent's worktree; of any other worker, where the work of a resumed
  // task is, or else the worktree around the current folder.
  std::optional<std::string> worktree = {};
};
struct ClaimTaskOutcome {
  Task task;
  bool acknowledged = false;  // it was resumed for this worker, which has it now
};
// Exclusive: of several claims at once, one succeeds. Claiming again what one has is no error, and
// moves the task if its worker works in another worktree now. kRefused: another worker has it, it
// is suspended or finished, it waits for another task, or the worktree has the work of another task
// (app/task_place.h). If the earlier worker was tainted, this one is, before it has the task.
Result<ClaimTaskOutcome> ClaimTask(Env& env, const ClaimTaskRequest& request);

// Whether an agent could claim the task in a worktree that is free, once it is resumed if it is
// suspended now.
Result<void> CheckClaimable(const TaskPlace& place, const TaskBook& book, const TaskId& id,
                            const IdentityName& worker);

// The session of a worker that was started for this task has begun: it has the text. Nothing
// happens if the task isn't its own, or was acknowledged before.
Result<void> AcknowledgeTask(Env& env, const Layout& project, const TaskId& id,
                             const IdentityName& worker);

// Undoes a claim of which nothing came. Not an error if the task has another owner by now.
Result<void> ReleaseTask(Env& env, const TaskId& id, const std::string& owner,
                         std::string_view why);

}  // namespace belay

#endif  // BELAY_APP_TASK_CLAIM_H_
