// Suspends a task for its agent, which has ended and missed the deadline: the guardian stopped it
// then, or it had ended before. Work is stored as for any suspension (app/task_suspend.h); what the
// worker would have written comes from its hook record, its transcript and its screen.
//
// Where the work can't leave the worktree, because a merge is under way or another task's work is
// there too, it stays, and only the context is written.

#ifndef BELAY_APP_TASK_TIMEOUT_H_
#define BELAY_APP_TASK_TIMEOUT_H_

#include <optional>

#include "app/env.h"
#include "app/task_place.h"
#include "app/task_sweep.h"
#include "base/result.h"
#include "model/identity.h"
#include "model/task.h"

namespace belay {

// Whether its worker missed the deadline: that has passed, or the guardian stopped the worker for
// it, whatever the date says now.
bool MissedDeadline(const TaskBook& book, const Task& task, const Identity* worker, WallTime now);

// `task` has missed its deadline. Nothing: it isn't in progress, no agent that belay started has
// it, that runs, or contexts are disabled. kBusy: try again.
Result<std::optional<SweepOutcome::Row>> SuspendTimedOut(Env& env, const TaskPlace& place,
                                                         const TaskBook& book, const Task& task);

}  // namespace belay

#endif  // BELAY_APP_TASK_TIMEOUT_H_
