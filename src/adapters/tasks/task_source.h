// Where tasks come from, behind one interface: belay's own list (app/task_list.h), and later the
// task folders of agent programs and other trackers. Suspending, resuming and sweeping see only
// this.

#ifndef BELAY_ADAPTERS_TASKS_TASK_SOURCE_H_
#define BELAY_ADAPTERS_TASKS_TASK_SOURCE_H_

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "model/task.h"

namespace belay {

class TaskSource {
 public:
  TaskSource() = default;
  TaskSource(const TaskSource&) = delete;
  TaskSource& operator=(const TaskSource&) = delete;
  virtual ~TaskSource() = default;

  virtual std::string_view name() const = 0;  // for messages
  // All tasks and waves, as they are now.
  virtual Result<TaskBook> Read() = 0;
  // Lets `edit` change the task as it is now, and stores it; `edit` can refuse. No other change
  // comes in between. Durable when it returns. kNotFound when there is none.
  using Edit = std::function<Result<void>(Task& task, const TaskBook& all)>;
  virtual Result<Task> Change(const TaskId& id, std::string_view why, const Edit& edit) = 0;
};

// The arcs that tasks belong to.
class TaskArcs {
 public:
  TaskArcs() = default;
  TaskArcs(const TaskArcs&) = delete;
  TaskArcs& operator=(const TaskArcs&) = delete;
  virtual ~TaskArcs() = default;

  // An entry of an arc's suspended_tasks. Adding the same again changes nothing. Durable.
  struct Entry {
    TaskId task_id;
    std::string context_path;
    SuspendReason reason;
  };
  virtual Result<void> AddSuspended(const ArcId& arc, const Entry& entry) = 0;
  // Not an error when it is missing.
  virtual Result<void> RemoveSuspended(const ArcId& arc, const TaskId& task) = 0;
  // The earlier one of the arc's deadline and its phase's.
  virtual Result<std::optional<WallTime>> DeadlineOf(const ArcId& arc) = 0;
};

// For a project without arcs.
class NoArcs final : public TaskArcs {
 public:
  Result<void> AddSuspended(const ArcId&, const Entry&) override { return {}; }
  Result<void> RemoveSuspended(const ArcId&, const TaskId&) override { return {}; }
  Result<std::optional<WallTime>> DeadlineOf(const ArcId&) override {
    return std::optional<WallTime>();
  }
};

}  // namespace belay

#endif  // BELAY_ADAPTERS_TASKS_TASK_SOURCE_H_
