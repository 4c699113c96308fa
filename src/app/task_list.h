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

// "worker-a" or "worker-a#2"; without one, the caller. kUsage: neither.
Result<std::string> WorkerName(const Env& env, const std::optional<std::string>& worker);

struct ClaimTaskRequest {
  TaskId id;
  std::optional<std::string> worker = {};  // for WorkerName
  // The session that the worker will have, if it isn't on record yet.
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

// The owner, or a person, reports that it is done. kRefused for a task that isn't in progress.
Result<Task> FinishTask(Env& env, const TaskId& id);

// Undoes a claim of which nothing came. Not an error if the task has another owner by now.
Result<void> ReleaseTask(Env& env, const TaskId& id, const std::string& owner,
                         std::string_view why);

}  // namespace belay

#endif  // BELAY_APP_TASK_LIST_H_
