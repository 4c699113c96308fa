#include "cli/task_view.h"

#include <fmt/core.h>

#include "app/agents_view.h"
#include "base/utf8.h"
#include "cli/text.h"
#include "model/json_fields.h"

namespace belay {
namespace {

std::string StateText(const Task& task) {
  if (task.permanently_failed) return "failed for good";
  if (task.suspended) return "suspended";
  if (IsWaitingForResumer(task)) return "resuming";
  return std::string(TaskStatusName(task.status));
}

Tone StateTone(const TaskRow& row) {
  if (row.task->suspended || IsWaitingForResumer(*row.task)) return Tone::kWarning;
  switch (row.task->status) {
    case TaskStatus::kPending:
      return row.blocked ? Tone::kBad : Tone::kPlain;
    case TaskStatus::kInProgress:
      return Tone::kAccent;
    case TaskStatus::kCompleted:
      return Tone::kGood;
    case TaskStatus::kFailed:
      return Tone::kBad;
  }
  __builtin_unreachable();
}

std::string DueIn(const TaskRow& row, WallTime now) {
  if (!row.deadline || IsFinished(row.task->status)) return {};
  return *row.deadline > now ? "in " + AgeText(now, *row.deadline)
                             : AgeText(*row.deadline, now) + " ago";
}

std::string TaskNote(const TaskRow& row) {
  const Task& task = *row.task;
  if (!row.waits_for.empty()) {
    std::string ids;
    for (const std::string& id : row.waits_for) ids += (ids.empty() ? "" : ", ") + id;
    return fmt::format("waits for {}{}", ids, row.blocked ? ", which has failed" : "");
  }
  if (task.suspended && !task.work.snapshot_id.empty()) return task.work.snapshot_id;
  // Of a worker before this one.
  const bool over = task.status == TaskStatus::kInProgress || task.status == TaskStatus::kCompleted;
  return over ? "" : task.failure;
}

}  // namespace

Json TaskListJson(const std::vector<TaskRow>& rows, const TaskBook& book) {
  Json::Array tasks;
  tasks.reserve(rows.size());
  for (const TaskRow& row : rows) {
    Json record = ToJson(*row.task);
    record.Set("timeout_at", row.deadline ? Json(FormatUtc(*row.deadline)) : Json());
    record.Set("waits_for", MakeArray(row.waits_for));
    record.Set("blocked", row.blocked);
    tasks.push_back(std::move(record));
  }
  Json waves = Json::EmptyObject();
  for (const auto& [wave, deadline] : book.waves()) waves.Set(wave, FormatUtc(deadline));
  return MakeObject({{"tasks", std::move(tasks)}, {"waves", std::move(waves)}});
}

Table TaskTable(const std::vector<TaskRow>& rows, WallTime now) {
  Table table{.columns = {{.title = "task"},
                          {.title = "status"},
                          {.title = "owner", .fit = Fit::kCut, .min_width = 8},
                          {.title = "title", .fit = Fit::kCut, .min_width = 16},
                          {.title = "wave", .drop_order = 2},
                          {.title = "due", .align = Align::kRight, .drop_order = 3},
                          {.title = "", .fit = Fit::kCut, .min_width = 12, .drop_order = 1}}};
  for (const TaskRow& row : rows) {
    table.rows.push_back({{row.task->id.text(), Tone::kBold},
                          {StateText(*row.task), StateTone(row)},
                          {row.task->owner},
                          {row.task->title},
                          {row.task->wave, Tone::kDim},
                          {DueIn(row, now), Tone::kDim},
                          {TaskNote(row)}});
  }
  return table;
}

Json ResumedJson(const ResumeTaskOutcome& outcome) {
  const Task& task = outcome.task;
  Json::Array restored;
  for (const std::string& path : outcome.restored) restored.push_back(ReplaceInvalidUtf8(path));
  return MakeObject({{"task_id", task.id.text()},
                     {"mode", ResumeModeName(outcome.mode)},
                     {"resume_count", task.resume_count},
                     {"text", outcome.text},
                     {"reason", TextOrNull(outcome.reason)},
                     {"context_path", TextOrNull(task.context_path)},
                     {"snapshot", TextOrNull(task.work.snapshot)},
                     {"snapshot_id", TextOrNull(task.work.snapshot_id)},
                     {"kept", MakeArray(task.kept)},
                     {"worktree_path", TextOrNull(task.work.worktree)},
                     {"restored", std::move(restored)},
                     {"changed", MakeArray(outcome.changed)},
                     {"repeated", outcome.repeated}});
}

std::optional<std::string> WorkerOption(const Invocation& invocation) {
  std::optional<std::string> worker = invocation.Value("--worker");
  return worker ? worker : invocation.Value("--agent");
}

}  // namespace belay
