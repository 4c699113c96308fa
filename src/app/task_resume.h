// Resumes a suspended task: checks its context file, puts its work back into a worktree, and makes
// the text for the worker that continues. The task is then pending and `resuming`; the next claim
// acknowledges it.
//
//   step                                     after a kill right behind it
//   -------------------------------------- -------------------------------------------------------
//   checks (engine/task/task_context.h)
//   the snapshot is restored                 the work is in the tree and in the snapshot, which
//   context file: resume_count raised        counts; resuming again finds nothing left to restore,
//                                            and the record's count decides
//   task record: pending, resuming           the work is in the tree; resuming again gives the text
//   arc entry removed
//
// If the work doesn't fit the worktree any more, nothing is changed there, and the text is
// advisory; the snapshot keeps the work and is named, in every later text and context too, until it
// is restored or deleted.

#ifndef BELAY_APP_TASK_RESUME_H_
#define BELAY_APP_TASK_RESUME_H_

#include <optional>
#include <string>
#include <vector>

#include "app/env.h"
#include "base/result.h"
#include "engine/task/task_context.h"
#include "model/task.h"

namespace belay {

struct ResumeTaskRequest {
  TaskId id;
  std::optional<std::string> worktree = {};  // nothing: where the work was
};
struct ResumeTaskOutcome {
  Task task;  // as recorded
  ResumeMode mode = ResumeMode::kResume;
  std::string text = {};                   // for the worker; empty for a cold start
  std::string reason = {};                 // of a cold start, or why it is advisory
  std::vector<std::string> restored = {};  // paths
  std::vector<std::string> changed = {};   // its files that changed since
  bool context_restored = false;           // the context file was missing, and its copy was used
  bool repeated = false;  // it was resumed before, and no worker has claimed it yet
};
// kNotFound: it isn't suspended. kRefused: the worktree has the work of another task, or it was
// resumed as often as allowed; then it has failed for good now.
Result<ResumeTaskOutcome> ResumeTask(Env& env, const ResumeTaskRequest& request);

}  // namespace belay

#endif  // BELAY_APP_TASK_RESUME_H_
