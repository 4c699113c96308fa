// The one place that writes belay's own list of tasks: the journal "tasks", and its rendering
// tasks.json, which is never read back.

#ifndef BELAY_LEDGER_TASK_LEDGER_H_
#define BELAY_LEDGER_TASK_LEDGER_H_

#include <functional>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "ledger/ledger.h"
#include "model/task.h"

namespace belay {

class TaskLedger;
struct TaskFamily : FamilyDefaults {
  using Book = TaskBook;
  using LedgerClass = TaskLedger;
  static constexpr std::string_view kJournal = "tasks";
  static constexpr std::string_view kWhyPrefix = "task ";
  static constexpr Following kFollow = Following::kWhole;
  static Result<void> EachRendering(const Book& book, const Layout& project,
                                    const RenderingSink& sink);
  static RecordText LogText(const Json& record);
  // All but those of completed tasks.
  static void EachNamedSnapshot(const Book& book, const SnapshotNameSink& sink);
};
using TaskLock = FamilyLock<TaskFamily>;

// kNotFound, with the nearest id.
Error NoSuchTask(const TaskBook& book, std::string_view id);

class TaskLedger : public Ledger<TaskFamily> {
 public:
  using Ledger::Ledger;

  // The book, for a caller that needs nothing else any more: copying thousands of tasks takes time.
  TaskBook TakeBook() && { return std::move(book_); }

  // kRefused if the id is taken, and for a dependency that doesn't exist.
  Result<Task> Add(const TaskLock& lock, Task task, std::string_view why);
  // Catches up, lets `edit` change the task as it is now, and records it. `edit` can refuse.
  // Durable when it returns, also if `edit` changed nothing. kNotFound when there is none.
  using Edit = std::function<Result<void>(Task&)>;
  Result<Task> Change(const TaskLock& lock, std::string_view id, std::string_view why,
                      const Edit& edit);
  Result<void> SetWave(const TaskLock& lock, std::string_view wave,
                       std::optional<WallTime> deadline);
};

}  // namespace belay

#endif  // BELAY_LEDGER_TASK_LEDGER_H_
