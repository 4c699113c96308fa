// The worker of a task: its name, the agent that it is, whether that runs, and where.

#ifndef BELAY_APP_TASK_WORKER_H_
#define BELAY_APP_TASK_WORKER_H_

#include <optional>
#include <string>
#include <vector>

#include "adapters/git/git.h"
#include "app/env.h"
#include "base/result.h"
#include "model/identity.h"
#include "store/layout.h"

namespace belay {

// "worker-a" or "worker-a#2"; without one, the caller. kUsage: neither.
Result<std::string> WorkerName(const Env& env, const std::optional<std::string>& worker);
// "worker-a", the owner of its tasks.
std::string OwnerName(const std::string& worker);

struct WorkerState {
  std::optional<Identity> identity = {};  // nothing: it isn't an agent on record
  bool runs = false;                      // or may run
  bool returns = false;                   // it doesn't run, and belay will start it
};
Result<WorkerState> FindWorker(Env& env, const std::string& worker);
bool IsCaller(const Env& env, const WorkerState& worker);

// The worktree of the agent; of any other worker, the one around the current folder.
std::string WorktreeOf(const Env& env, const Layout& project, const WorkerState& worker);

// Tracked changes and untracked files of a worktree, as git reports them, without belay's own.
// Quoted as git quotes them.
Result<std::vector<std::string>> UncommittedFiles(const Git& git);

}  // namespace belay

#endif  // BELAY_APP_TASK_WORKER_H_
