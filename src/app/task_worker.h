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
#include "model/task.h"
#include "store/layout.h"

namespace belay {

struct Worker {
  std::string name;                       // "worker-a#2", or "worker-a"
  std::optional<Identity> identity = {};  // nothing: it isn't an agent on record

  std::string owner() const { return name.substr(0, name.find('#')); }  // of its tasks: "worker-a"
};
// `given` is an agent's role-name or name, with or without incarnation, or the role-name of a
// worker that isn't an agent; nothing: the caller. kUsage: no name, or not one name. kNotFound:
// that incarnation has ended, or hasn't begun.
Result<Worker> ResolveWorker(Env& env, const Layout& project,
                             const std::optional<std::string>& given);

struct WorkerState {
  std::optional<Identity> identity = {};  // nothing: it isn't an agent on record
  bool runs = false;                      // or may run
  bool returns = false;                   // it doesn't run, and belay will start it
};
Result<WorkerState> FindWorker(Env& env, const std::string& worker);
bool IsCaller(const Env& env, const WorkerState& worker);
// kRefused: its processes must be gone, unless it is the caller. `then` completes the hint.
Result<void> CheckStopped(const Env& env, const WorkerState& worker, std::string_view then);

// Where a task in progress is worked on. For one that an earlier belay recorded: the worktree of
// the agent; of any other worker, the one around the current folder.
std::string WorktreeOf(const Env& env, const Layout& project, const Task& task,
                       const std::optional<Identity>& worker);

// Tracked changes and untracked files of a worktree, as git reports them, without belay's own.
Result<std::vector<std::string>> UncommittedFiles(const Git& git);

}  // namespace belay

#endif  // BELAY_APP_TASK_WORKER_H_
