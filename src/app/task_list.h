// belay's own list of tasks: adding, listing, claiming, finishing; waves and their deadlines.

#ifndef BELAY_APP_TASK_LIST_H_
#define BELAY_APP_TASK_LIST_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "adapters/tasks/task_source.h"
#include "app/env.h"
#include "base/result.h"
#include "engine/task/task_context.h"
#include "ledger/task_ledger.h"
#include "model/identity_book.h"
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

// What the operations on tasks work with.
struct TaskPlace {
  Layout project;
  TaskContextSettings settings;
};
// A mistake in the settings is an error, unless the operation saves work: then the defaults count,
// with a warning. Without a vault: kNotFound.
enum class TaskMistakes { kRefuse, kWarn };
Result<TaskPlace> FindTaskPlace(Env& env, VaultUse use, TaskMistakes mistakes);

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

struct ClaimTaskRequest {
  TaskId id;
  std::optional<std::string> worker = {};  // for WorkerName
  // For a worker that isn't started yet: the session that it will have. Such a claim doesn't
  // acknowledge a resume; the worker does, by its own claim or when its session starts.
  std::optional<std::string> session = {};
};
struct ClaimTaskOutcome {
  Task task;
  bool acknowledged = false;  // it was resumed for this worker, which has it now
};
// Exclusive: of several claims at once, one succeeds. Claiming again what one has is no error.
// kRefused: another worker has it, it is suspended or finished, or it waits for another task. If
// the earlier worker was tainted, this one is, before it has the task.
Result<ClaimTaskOutcome> ClaimTask(Env& env, const ClaimTaskRequest& request);

// The session of a worker that was started for this task has begun: it has the text. Nothing
// happens if the task isn't its own, or was acknowledged before.
Result<void> AcknowledgeTask(Env& env, const Layout& project, const TaskId& id,
                             const IdentityName& worker);

struct FinishTaskRequest {
  TaskId id;
  std::optional<std::string> worker = {};  // that must be the owner
};
struct FinishTaskOutcome {
  Task task;
  std::string worktree = {};                  // of its worker
  std::vector<std::string> uncommitted = {};  // files there
};
// The owner, or a person, reports that it is done. kRefused for a task that isn't in progress, or
// belongs to another worker than the one that is named.
Result<FinishTaskOutcome> FinishTask(Env& env, const FinishTaskRequest& request);

// Undoes a claim of which nothing came. Not an error if the task has another owner by now.
Result<void> ReleaseTask(Env& env, const TaskId& id, const std::string& owner,
                         std::string_view why);

// Held by belay while it changes the stash list.
Result<StateLock> LockStash(Env& env, const Layout& project);
// Removes the entry of `git stash list` for work that is back in its tree. If that fails, it is
// said, and the sweep tries again.
void DropStashEntry(Env& env, const Layout& project, const Task& task);

}  // namespace belay

#endif  // BELAY_APP_TASK_LIST_H_
