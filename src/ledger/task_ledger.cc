#include "ledger/task_ledger.h"

#include <fmt/core.h>

#include "base/text.h"
#include "base/utf8.h"

namespace belay {
namespace {

std::string StateWords(const Json& task) {
  const Json* metadata = task.Find("metadata");
  const auto is = [&](std::string_view key) {
    const Json* value = metadata != nullptr ? metadata->Find(key) : nullptr;
    return value != nullptr && value->AsBool() != nullptr && *value->AsBool();
  };
  if (is("permanently_failed")) return "permanently failed";
  if (is("suspended")) return "suspended";
  if (is("resuming") && TextIn(task, "status") == "pending") return "resuming";
  return TextIn(task, "status");
}

}  // namespace

Result<void> TaskFamily::EachRendering(const Book& book, const Layout& project,
                                       const RenderingSink& sink) {
  return sink({project.JournalRendering(kJournal), [&] { return TaskRendering(book); }});
}

// "suspended  t3 fix the login: turn_limit"
RecordText TaskFamily::LogText(const Json& record) {
  RecordText text = KindAndWhy(record);
  const Json* task = record.Find("task");
  if (task == nullptr) {
    text.why = SingleValues(record);
    return text;
  }
  const Json* metadata = task->Find("metadata");
  text.identity = TextIn(*task, "owner");
  text.who = text.identity;
  if (text.who.empty() && metadata != nullptr) text.who = TextIn(*metadata, "worker");
  text.what = StateWords(*task);
  text.why = fmt::format("{} {}: {}", TextIn(*task, "id"), TextIn(*task, "title"), text.why);
  return text;
}

void TaskFamily::EachNamedSnapshot(const Book& book, const SnapshotNameSink& sink) {
  for (const auto& [id, task] : book.tasks()) {
    // A completed task has its work; what was never put back is nowhere else.
    const bool done = task.status == TaskStatus::kCompleted && task.work.restored;
    if (!task.work.snapshot.empty() && !done) sink(task.work.snapshot);
    for (const std::string& commit : task.kept) sink(commit);
  }
}

Error NoSuchTask(const TaskBook& book, std::string_view id) {
  std::vector<std::string_view> known;
  for (const auto& [name, task] : book.tasks()) known.push_back(name);
  return {ErrorCode::kNotFound, fmt::format("no task {}", Quote(id)),
          DidYouMean(id, known, "belay task list shows them")};
}

Result<Task> TaskLedger::Add(const TaskLock& lock, Task task, std::string_view why) {
  BELAY_TRY(CatchUp());
  if (book_.Find(task.id.text()) != nullptr) {
    return Error{ErrorCode::kRefused, fmt::format("there is a task {} already", task.id.text()),
                 "choose another --id, or omit it"};
  }
  for (const std::string& on : task.depends_on) {
    if (book_.Find(on) == nullptr) return NoSuchTask(book_, on);
  }
  task.created_at = task.changed_at = clock_.Wall();
  BELAY_TRY(AppendOne(lock, TaskRecord(clock_.Wall(), why, task)));
  return *book_.Find(task.id.text());
}

Result<Task> TaskLedger::Change(const TaskLock& lock, std::string_view id, std::string_view why,
                                const Edit& edit) {
  BELAY_TRY(CatchUp());
  const Task* known = book_.Find(id);
  if (known == nullptr) return NoSuchTask(book_, id);
  const Task before = *known;
  Task task = before;
  BELAY_TRY(edit(task));
  std::vector<Json> records;
  if (task != before) {
    task.changed_at = clock_.Wall();
    records.push_back(TaskRecord(clock_.Wall(), why, task));
  }
  BELAY_TRY(Append(lock, records));
  return *book_.Find(id);
}

Result<void> TaskLedger::SetWave(const TaskLock& lock, std::string_view wave,
                                 std::optional<WallTime> deadline) {
  return AppendOne(lock, WaveRecord(clock_.Wall(), "a deadline was set", wave, deadline));
}

}  // namespace belay
