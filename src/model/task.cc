#include "model/task.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "base/utf8.h"
#include "model/json_fields.h"
#include "model/stored_record.h"

namespace belay {
namespace {

constexpr std::size_t kLongestTaskId = 64;
constexpr std::string_view kTaskStatuses[] = {"pending", "in_progress", "completed", "failed"};
constexpr std::string_view kReasons[] = {"turn_limit", "budget_exceeded", "wave_timeout", "signal"};

bool IsIdLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

bool IsArcId(std::string_view text) {
  return !text.empty() && text.size() <= kLongestTaskId &&
         std::all_of(text.begin(), text.end(), IsIdLetter);
}

bool IsTaskId(std::string_view text) {
  if (text.empty() || text.size() > kLongestTaskId || text.front() == '.' || text.back() == '.') {
    return false;
  }
  const bool letters =
      std::all_of(text.begin(), text.end(), [](char c) { return IsIdLetter(c) || c == '.'; });
  return letters && text.find("..") == std::string_view::npos;
}

std::optional<std::uint64_t> NumberOf(std::string_view id) {
  if (!id.starts_with('t')) return std::nullopt;
  id.remove_prefix(1);
  std::uint64_t number = 0;
  const auto end = std::from_chars(id.data(), id.data() + id.size(), number);
  const bool whole = end.ec == std::errc() && end.ptr == id.data() + id.size();
  return whole ? std::optional(number) : std::nullopt;
}

Json MetadataJson(const Task& task) {
  const SuspendedWork& work = task.work;
  Json::Object members = {
      {"suspended", task.suspended},
      {"context_path", TextOrNull(task.context_path)},
      {"permanently_failed", task.permanently_failed},
      {"resuming", task.resuming},
      {"resume_count", std::int64_t{task.resume_count}},
      {"reason", work.reason ? Json(SuspendReasonName(*work.reason)) : Json()},
      {"worker", TextOrNull(work.worker)},
      {"worktree", TextOrNull(work.worktree)},
      {"base_commit", TextOrNull(work.base_commit)},
      {"snapshot", TextOrNull(work.snapshot)},
      {"snapshot_id", TextOrNull(work.snapshot_id)},
      {"message", TextOrNull(work.message)},
      {"cleaning", work.cleaning},
      {"tainted", work.tainted},
      {"restored", work.restored},
      {"kept", TextArray(task.kept)},
      {"reopened_at", TimeOrNull(task.reopened_at)},
      {"missed_deadline", TimeOrNull(task.missed_deadline)},
      {"failure", TextOrNull(task.failure)},
  };
  AddUnknown(task.unknown_metadata, members);
  return members;
}

void ReadMetadata(JsonFields& whole, Task& task) {
  std::optional<JsonFields> fields = whole.Inner("metadata");
  if (!fields) return;
  task.suspended = fields->Bool("suspended", false);
  task.context_path = fields->Text("context_path");
  task.permanently_failed = fields->Bool("permanently_failed", false);
  task.resuming = fields->Bool("resuming", false);
  task.resume_count = fields->Count("resume_count");
  if (const std::optional<std::string> reason = fields->OptionalText("reason")) {
    task.work.reason = ParseSuspendReason(*reason);
    if (!task.work.reason) fields->Fail("reason", "isn't a known name");
  }
  task.work.worker = fields->Text("worker");
  task.work.worktree = fields->Text("worktree");
  task.work.base_commit = fields->Text("base_commit");
  task.work.snapshot = fields->Text("snapshot");
  task.work.snapshot_id = fields->Text("snapshot_id");
  task.work.message = fields->Text("message");
  task.work.cleaning = fields->Bool("cleaning", false);
  task.work.tainted = fields->Bool("tainted", false);
  task.work.restored = fields->Bool("restored", false);
  task.kept = fields->Texts("kept");
  task.reopened_at = fields->Time("reopened_at");
  task.missed_deadline = fields->Time("missed_deadline");
  task.failure = fields->Text("failure");
  task.unknown_metadata = fields->Unknown();
  if (const Result<void> checked = fields->Check(); !checked) whole.Fail(checked.error());
}

Result<Task> ReadTask(const Json& record) {
  JsonFields fields(record, "task");
  BELAY_TRY_ASSIGN(TaskId id, TaskId::Parse(fields.Text("id")));
  Task task{.id = std::move(id)};
  task.title = fields.Text("title");
  task.description = fields.Text("description");
  task.status = fields.Name("status", ParseTaskStatus);
  task.owner = fields.Text("owner");
  task.worktree = fields.Text("worktree_path");
  task.files = fields.Texts("files");
  task.depends_on = fields.Texts("depends_on");
  if (const std::optional<std::string> arc = fields.OptionalText("arc")) {
    BELAY_TRY_ASSIGN(task.arc, ArcId::Parse(*arc));
  }
  task.wave = fields.Text("wave");
  task.deadline = fields.Time("deadline");
  task.run = fields.Text("run");
  task.created_at = fields.TimeOrZero("created_at");
  task.changed_at = fields.TimeOrZero("changed_at");
  ReadMetadata(fields, task);
  task.unknown = fields.Unknown();
  BELAY_TRY(fields.Check());
  return task;
}

}  // namespace

Result<TaskId> TaskId::Parse(std::string_view text) {
  if (IsTaskId(text)) return TaskId(text);
  return Error{ErrorCode::kUsage, fmt::format("{} is no task id", Quote(text)),
               "letters, digits, _ and -, with single dots inside; 64 characters at most"};
}

Result<ArcId> ArcId::Parse(std::string_view text) {
  if (IsArcId(text)) return ArcId(text);
  return Error{ErrorCode::kUsage, fmt::format("{} is no arc id", Quote(text)),
               "letters, digits, _ and -; 64 characters at most"};
}

ArcId ArcId::Standalone() { return ArcId("standalone"); }

std::string_view TaskStatusName(TaskStatus status) { return NameIn(kTaskStatuses, status); }
std::optional<TaskStatus> ParseTaskStatus(std::string_view name) {
  return FindIn<TaskStatus>(kTaskStatuses, name);
}
std::string_view SuspendReasonName(SuspendReason reason) { return NameIn(kReasons, reason); }
std::optional<SuspendReason> ParseSuspendReason(std::string_view name) {
  return FindIn<SuspendReason>(kReasons, name);
}

bool IsWaitingForResumer(const Task& task) {
  return task.resuming && task.status == TaskStatus::kPending;
}

bool IsAcknowledged(const Task& task) {
  return task.work.restored && !task.resuming && !task.suspended;
}

void GiveBack(Task& task) {
  task.status = TaskStatus::kPending;
  task.owner.clear();
  task.worktree.clear();
}

void LoseWorktree(Task& task) { task.work.restored = false; }

void KeepUnrestored(Task& task) {
  const std::string& snapshot = task.work.snapshot;
  const bool known = std::ranges::find(task.kept, snapshot) != task.kept.end();
  if (!snapshot.empty() && !task.work.restored && !known) task.kept.push_back(snapshot);
}

Json ToJson(const Task& task) {
  Json::Object members = {
      {"id", task.id.text()},
      {"title", ReplaceInvalidUtf8(task.title)},
      {"description", TextOrNull(task.description)},
      {"status", TaskStatusName(task.status)},
      {"owner", TextOrNull(task.owner)},
      {"worktree_path", TextOrNull(task.worktree)},
      {"files", TextArray(task.files)},
      {"depends_on", TextArray(task.depends_on)},
      {"arc", task.arc.is_standalone() ? Json() : Json(task.arc.text())},
      {"wave", TextOrNull(task.wave)},
      {"deadline", TimeOrNull(task.deadline)},
      {"run", TextOrNull(task.run)},
      {"created_at", KnownTime(task.created_at)},
      {"changed_at", KnownTime(task.changed_at)},
      {"metadata", MetadataJson(task)},
  };
  AddUnknown(task.unknown, members);
  return members;
}

Result<Task> TaskFromJson(const Json& record) {
  Result<Task> task = ReadRecord(FormatOf(StoredRecord::kTask), record, ReadTask);
  if (!task && task.error().code == ErrorCode::kUsage) task.error().code = ErrorCode::kDamaged;
  return task;
}

std::string RunName(WallTime start) {
  std::string name = FormatUtc(start).substr(0, std::string_view("2026-11-18T12:00:00").size());
  std::erase_if(name, [](char c) { return c == '-' || c == ':'; });
  std::replace(name.begin(), name.end(), 'T', '-');
  return name;
}

bool IsRunName(std::string_view text) {
  constexpr std::size_t kDash = 8;
  if (text.size() != 15 || text[kDash] != '-') return false;
  return std::all_of(text.begin(), text.end(),
                     [&](const char& c) { return &c == &text[kDash] || (c >= '0' && c <= '9'); });
}

Json TaskRecord(WallTime at, std::string_view why, const Task& task) {
  return MakeObject({{"at", FormatUtcMicros(at)},
                     {"kind", "task"},
                     {"why", ReplaceInvalidUtf8(why)},
                     {"task", ToJson(task)}});
}

Json WaveRecord(WallTime at, std::string_view why, std::string_view wave,
                std::optional<WallTime> deadline) {
  return MakeObject({{"at", FormatUtcMicros(at)},
                     {"kind", "wave"},
                     {"why", ReplaceInvalidUtf8(why)},
                     {"wave", ReplaceInvalidUtf8(wave)},
                     {"deadline", TimeOrNull(deadline)}});
}

void TaskBook::Apply(const Json& record) {
  const std::string kind = TextIn(record, "kind");
  const bool sense = kind == "task" ? ApplyTask(record) : kind == "wave" && ApplyWave(record);
  if (!sense) ++unreadable_;
}

bool TaskBook::ApplyTask(const Json& record) {
  const Json* json = record.Find("task");
  if (json == nullptr) return false;
  Result<Task> task = TaskFromJson(*json);
  if (!task) return false;
  last_number_ = std::max(last_number_, NumberOf(task->id.text()).value_or(0));
  std::string id = task->id.text();
  tasks_.insert_or_assign(std::move(id), *std::move(task));
  return true;
}

bool TaskBook::ApplyWave(const Json& record) {
  const Result<Json> newest = Migrate(FormatOf(StoredRecord::kWave), record);
  if (!newest) return false;
  JsonFields fields(*newest, "wave");
  const std::string wave = fields.Text("wave");
  const std::optional<WallTime> deadline = fields.Time("deadline");
  if (!fields.ok() || wave.empty()) return false;
  if (deadline) {
    waves_.insert_or_assign(wave, *deadline);
  } else {
    waves_.erase(wave);
  }
  return true;
}

const Task* TaskBook::Find(std::string_view id) const {
  const auto at = tasks_.find(id);
  return at != tasks_.end() ? &at->second : nullptr;
}

std::string TaskBook::NextId() const { return fmt::format("t{}", last_number_ + 1); }

std::vector<WallTime> TaskBook::DeadlinesOf(const Task& task) const {
  std::vector<WallTime> deadlines;
  if (task.deadline) deadlines.push_back(*task.deadline);
  const auto wave = waves_.find(task.wave);
  if (wave != waves_.end()) deadlines.push_back(wave->second);
  std::ranges::sort(deadlines);
  return deadlines;
}

std::optional<WallTime> TaskBook::DeadlineOf(const Task& task) const {
  return DeadlineAfter(task, task.missed_deadline.value_or(WallTime::min()));
}

std::optional<WallTime> TaskBook::DeadlineAfter(const Task& task, WallTime now) const {
  for (const WallTime at : DeadlinesOf(task)) {
    if (at > now) return at;
  }
  return std::nullopt;
}

std::optional<WallTime> TaskBook::PassedDeadline(const Task& task, WallTime now) const {
  std::optional<WallTime> passed;
  for (const WallTime at : DeadlinesOf(task)) {
    if (at <= now) passed = at;
  }
  return passed;
}

std::vector<const Task*> TaskBook::Waiting(const Task& task) const {
  std::vector<const Task*> waiting;
  for (const std::string& id : task.depends_on) {
    const Task* other = Find(id);
    if (other != nullptr && other->status != TaskStatus::kCompleted) waiting.push_back(other);
  }
  return waiting;
}

std::vector<const Task*> TaskBook::DependentsOf(const Task& task) const {
  std::set<std::string, std::less<>> reached = {task.id.text()};
  std::vector<const Task*> dependents;
  for (bool more = true; more;) {
    more = false;
    for (const auto& [id, other] : tasks_) {
      if (IsFinished(other.status) || reached.contains(id)) continue;
      const bool depends = std::any_of(other.depends_on.begin(), other.depends_on.end(),
                                       [&](const std::string& on) { return reached.contains(on); });
      if (!depends) continue;
      reached.insert(id);
      dependents.push_back(&other);
      more = true;
    }
  }
  return dependents;
}

namespace {

// Whether its uncommitted work is in the tree `worktree`.
bool Occupies(const Task& task, std::string_view worktree) {
  const SuspendedWork& work = task.work;
  if (work.cleaning) return work.worktree == worktree;
  const bool in_tree = work.restored || work.snapshot.empty();
  if (task.suspended || IsWaitingForResumer(task)) return in_tree && work.worktree == worktree;
  return task.status == TaskStatus::kInProgress && task.worktree == worktree;
}

}  // namespace

const Task* TaskBook::OccupantOf(std::string_view worktree, const TaskId& id) const {
  for (const auto& [name, task] : tasks_) {
    if (name != id.text() && Occupies(task, worktree)) return &task;
  }
  return nullptr;
}

const Task* TaskBook::OfOwner(std::string_view identity) const {
  const Task* suspended = nullptr;
  for (const auto& [id, task] : tasks_) {
    if (task.status != TaskStatus::kInProgress || task.owner != identity) continue;
    if (!task.suspended) return &task;
    if (suspended == nullptr) suspended = &task;
  }
  return suspended;
}

std::vector<Json> TaskBook::Snapshot(WallTime now) const {
  std::set<std::string_view> needed;
  std::vector<const Task*> completed;
  for (const auto& [id, task] : tasks_) {
    if (task.status == TaskStatus::kCompleted) {
      completed.push_back(&task);
    } else {
      needed.insert(task.depends_on.begin(), task.depends_on.end());
    }
  }
  std::ranges::stable_sort(completed, std::ranges::greater(), &Task::changed_at);
  std::set<std::string_view> left_out;
  for (std::size_t i = kKeptCompleted; i < completed.size(); ++i) {
    const std::string& id = completed[i]->id.text();
    const bool last = NumberOf(id) == last_number_;  // so that no number is given twice
    if (!needed.contains(id) && !last) left_out.insert(id);
  }
  std::vector<Json> records;
  for (const auto& [wave, deadline] : waves_) {
    records.push_back(WaveRecord(now, "snapshot", wave, deadline));
  }
  for (const auto& [id, task] : tasks_) {
    if (!left_out.contains(id)) records.push_back(TaskRecord(now, "snapshot", task));
  }
  return records;
}

Json TaskRendering(const TaskBook& book) {
  Json::Array tasks;
  Json waves = Json::EmptyObject();
  for (const auto& [id, task] : book.tasks()) tasks.push_back(ToJson(task));
  for (const auto& [wave, deadline] : book.waves()) waves.Set(wave, FormatUtc(deadline));
  return MakeObject({{kVersionKey, NewestVersion(StoredRecord::kTask)},
                     {"tasks", std::move(tasks)},
                     {"waves", std::move(waves)}});
}

}  // namespace belay
