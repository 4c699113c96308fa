// The commands about tasks.

#include <fmt/core.h>

#include "app/task_claim.h"
#include "app/task_list.h"
#include "app/task_resume.h"
#include "app/task_suspend.h"
#include "app/task_sweep.h"
#include "base/path.h"
#include "base/text.h"
#include "base/utf8.h"
#include "cli/commands/commands.h"
#include "cli/task_view.h"
#include "ui/width.h"

namespace belay {
namespace {

constexpr std::size_t kMostStateBytes = std::size_t{16} << 20U;
constexpr std::string_view kLatestTime = "2261-12-31T23:59:59Z";  // that ParseUtc reads

Error TaskUsage(std::string message, std::string hint) {
  return {ErrorCode::kUsage, std::move(message), std::move(hint)};
}

// "30m", from now on, or "2026-11-18T14:30:00Z".
Result<std::optional<WallTime>> Deadline(const Invocation& invocation, WallTime now) {
  const std::optional<std::string> text = invocation.Value("--deadline");
  if (!text) return std::optional<WallTime>();
  BELAY_TRY_ASSIGN(const WallTime time, ParseDeadline(*text, now));
  return std::optional(time);
}

std::vector<std::string> Words(const std::optional<std::string>& text, char separator) {
  std::vector<std::string> words;
  if (!text) return words;
  for (const std::string_view word : Split(*text, separator)) {
    if (!word.empty()) words.emplace_back(word);
  }
  return words;
}

Result<AddTaskRequest> ParseAdd(const Invocation& invocation, WallTime now) {
  const std::vector<std::string>& operands = invocation.operands();
  AddTaskRequest request{.title = operands.front()};
  if (request.title.empty()) return TaskUsage("the title is empty", "belay task add \"fix it\"");
  if (const auto id = invocation.Value("--id")) {
    BELAY_TRY_ASSIGN(request.id, TaskId::Parse(*id));
  }
  for (const std::string& file : Words(invocation.Value("--files"), ',')) {
    request.files.push_back(file);
  }
  // The rest of `--files a b c`.
  if (operands.size() > 1 && request.files.empty()) {
    return TaskUsage(fmt::format("{} comes after the title", Quote(operands[1])),
                     "quote a title of several words; --files names files");
  }
  request.files.insert(request.files.end(), operands.begin() + 1, operands.end());
  request.description = invocation.Value("--description").value_or("");
  request.after = Words(invocation.Value("--after"), ',');
  if (const auto arc = invocation.Value("--arc")) {
    BELAY_TRY_ASSIGN(request.arc, ArcId::Parse(*arc));
  }
  request.wave = invocation.Value("--wave").value_or("");
  BELAY_TRY_ASSIGN(request.deadline, Deadline(invocation, now));
  for (const std::string& text : {request.title, request.description, request.wave}) {
    if (FindInvalidUtf8(text) != std::string::npos) {
      return TaskUsage("the text isn't valid UTF-8", "");
    }
  }
  return request;
}

Result<std::string> ReadState(const Invocation& invocation, const Services& services) {
  const std::optional<std::string> file = invocation.Value("--state-file");
  if (!file) return std::string();
  const Result<std::string> path = services.files.Resolve(JoinPath(services.current_folder, *file));
  Result<std::string> text = path ? services.files.Read(*path, kMostStateBytes) : path;
  if (text) return text;
  return TaskUsage(text.error().message, "--state-file takes a file with the working state");
}

std::string LeftText(const SuspendTaskOutcome& outcome) {
  std::string text;
  for (const NotRestored& left : outcome.left) {
    text += fmt::format("stays in the worktree: {} ({})\n", Printable(left.path), left.why);
  }
  return text;
}

// The worktree is named where the user is in another one.
std::string SuspendedText(const SuspendTaskOutcome& outcome, const std::string& current_folder) {
  const Task& task = outcome.task;
  const bool clean = outcome.left.empty() && !outcome.unfinished;
  const std::string& worktree = task.work.worktree;
  const bool here = current_folder == worktree || current_folder.starts_with(worktree + "/");
  const std::string where = here ? "the worktree" : "the worktree " + Printable(worktree);
  const std::string work = task.work.snapshot_id.empty()
                               ? fmt::format("its work stays in {}", where)
                               : fmt::format("its work is the snapshot {}{}", task.work.snapshot_id,
                                             clean ? ", and " + where + " is back at HEAD" : "");
  if (task.permanently_failed) {
    return fmt::format("task {} has failed for good: {}\n{}belay task reopen {} lets it continue\n",
                       task.id.text(), task.failure, LeftText(outcome), task.id.text());
  }
  return fmt::format(
      "task {} is suspended: {}\n{}its context is {}\nbelay task resume {} "
      "continues it\n",
      task.id.text(), work, LeftText(outcome), Printable(task.context_path), task.id.text());
}

// A few names are enough to recognise them.
std::string UncommittedText(const FinishTaskOutcome& outcome) {
  constexpr std::size_t kMostNamed = 5;
  const std::vector<std::string>& files = outcome.uncommitted;
  std::string names;
  for (std::size_t i = 0; i < std::min(files.size(), kMostNamed); ++i) {
    names += (i > 0 ? ", " : "") + files[i];
  }
  if (files.size() > kMostNamed) names += fmt::format(" and {} more", files.size() - kMostNamed);
  return Printable(fmt::format(
      "not committed in {}: {}; commit them, or the next task that is suspended there takes them "
      "along",
      outcome.worktree, names));
}

// Snapshots with work of a task that isn't in any worktree.
void SayKept(Io& io, const std::vector<std::string>& kept) {
  for (const std::string& id : kept) {
    io.Say(
        fmt::format("earlier work of it was never put back: the snapshot {}; belay snapshot "
                    "restore {} --merge merges it here",
                    id, id));
  }
}

Json SuspendedJson(const SuspendTaskOutcome& outcome) {
  Json record = ToJson(outcome.task);
  Json::Array left;
  for (const NotRestored& one : outcome.left) {
    left.push_back(MakeObject({{"path", ReplaceInvalidUtf8(one.path)}, {"why", one.why}}));
  }
  record.Set("left", std::move(left));
  record.Set("dependents", MakeArray(outcome.dependents));
  record.Set("unfinished", outcome.unfinished ? Json(outcome.unfinished->message) : Json());
  return record;
}

}  // namespace

Result<WallTime> ParseDeadline(std::string_view text, WallTime now) {
  const Result<Duration> length = ParseDuration(text);
  if (length && *length > Duration::zero()) {
    const WallTime latest = *ParseUtc(kLatestTime);
    if (*length <= latest - now) return now + *length;
    return TaskUsage(fmt::format("--deadline {} is after {}", Quote(text), kLatestTime),
                     "write a shorter one, such as 30m");
  }
  const Result<WallTime> time = ParseUtc(text);
  if (time) return *time;
  return TaskUsage(fmt::format("--deadline is {}", Quote(text)),
                   "write a duration from now such as 30m, or a time such as 2026-11-18T14:30:00Z");
}

Result<int> RunTaskAdd(const Invocation& invocation, Services& services) {
  BELAY_TRY_ASSIGN(const AddTaskRequest request, ParseAdd(invocation, services.clock.Wall()));
  BELAY_TRY_ASSIGN(const Task task, AddTask(services, request));
  services.io.Show(ToJson(task), fmt::format("{}: {}\n", task.id.text(), Printable(task.title)));
  return 0;
}

Result<int> RunTaskList(const Invocation&, Services& services) {
  BELAY_TRY_ASSIGN(const TaskBook book, ReadTasks(services));
  const std::vector<TaskRow> rows = TaskRows(book);
  Io& io = services.io;
  // Only one of the two is made: there may be thousands of tasks.
  const bool table = !io.json && !rows.empty();
  io.Show(io.json ? TaskListJson(rows, book) : Json(Json::Object()),
          table
              ? Render(TaskTable(rows, services.clock.Wall()), {io.screen.columns, io.screen.style})
              : std::string());
  if (rows.empty()) io.Say("there are no tasks; belay task add TITLE adds one");
  if (book.unreadable() > 0) {
    io.Say(fmt::format("{} records of tasks can't be read; belay doctor", book.unreadable()));
  }
  return 0;
}

Result<int> RunTaskClaim(const Invocation& invocation, Services& services) {
  BELAY_TRY_ASSIGN(TaskId id, TaskId::Parse(invocation.operands().front()));
  BELAY_TRY_ASSIGN(const ClaimTaskOutcome outcome,
                   ClaimTask(services, {.id = std::move(id),
                                        .worker = WorkerOption(invocation),
                                        .worktree = invocation.Value("--worktree")}));
  services.io.Show(
      ToJson(outcome.task),
      fmt::format("task {} belongs to {}{}\n", outcome.task.id.text(), outcome.task.owner,
                  outcome.acknowledged ? "; it continues the work of an earlier worker" : ""));
  return 0;
}

Result<int> RunTaskDone(const Invocation& invocation, Services& services) {
  BELAY_TRY_ASSIGN(TaskId id, TaskId::Parse(invocation.operands().front()));
  BELAY_TRY_ASSIGN(const FinishTaskOutcome outcome,
                   FinishTask(services, {std::move(id), WorkerOption(invocation)}));
  Json record = ToJson(outcome.task);
  record.Set("uncommitted", MakeArray(outcome.uncommitted));
  services.io.Show(record, fmt::format("task {} is completed\n", outcome.task.id.text()));
  if (!outcome.uncommitted.empty()) services.io.Say(UncommittedText(outcome));
  SayKept(services.io, outcome.kept);
  return 0;
}

Result<int> RunTaskReopen(const Invocation& invocation, Services& services) {
  BELAY_TRY_ASSIGN(const TaskId id, TaskId::Parse(invocation.operands().front()));
  BELAY_TRY_ASSIGN(const ReopenTaskOutcome outcome, ReopenTask(services, id));
  const std::string next = outcome.task.suspended
                               ? fmt::format("suspended again; belay task resume {}", id.text())
                               : fmt::format("pending; belay task claim {}", id.text());
  services.io.Show(ToJson(outcome.task), fmt::format("task {} is {}\n", id.text(), next));
  if (!outcome.left_in.empty()) {
    services.io.Say(
        Printable(fmt::format("what its worker didn't commit stays in {}", outcome.left_in)));
  }
  SayKept(services.io, outcome.kept);
  return 0;
}

Result<int> RunTaskWave(const Invocation& invocation, Services& services) {
  const std::string& wave = invocation.operands().front();
  BELAY_TRY_ASSIGN(const std::optional<WallTime> deadline,
                   Deadline(invocation, services.clock.Wall()));
  if (wave.empty()) return TaskUsage("the name of the wave is empty", "");
  if (!deadline) return TaskUsage("task wave needs --deadline TIME", "such as --deadline 30m");
  BELAY_TRY(SetWaveDeadline(services, wave, *deadline));
  services.io.Show(MakeObject({{"wave", wave}, {"deadline", FormatUtc(*deadline)}}),
                   fmt::format("the wave {} ends at {}\n", Printable(wave), FormatUtc(*deadline)));
  return 0;
}

Result<int> RunTaskSuspend(const Invocation& invocation, Services& services) {
  BELAY_TRY_ASSIGN(TaskId id, TaskId::Parse(invocation.operands().front()));
  const std::optional<std::string> reason = invocation.Value("--reason");
  SuspendTaskRequest request{.id = std::move(id),
                             .last_action = invocation.Value("--last-action").value_or("")};
  if (reason) request.reason = ParseSuspendReason(*reason).value();
  request.worker = WorkerOption(invocation);
  request.worktree = invocation.Value("--worktree");
  BELAY_TRY_ASSIGN(request.state, ReadState(invocation, services));
  BELAY_TRY_ASSIGN(const SuspendTaskOutcome outcome, SuspendTask(services, request));
  services.io.Show(SuspendedJson(outcome), SuspendedText(outcome, services.current_folder));
  if (!outcome.dependents.empty()) {
    std::string ids;
    for (const std::string& one : outcome.dependents) ids += (ids.empty() ? "" : ", ") + one;
    services.io.Say(fmt::format("these tasks wait for it and are blocked: {}", ids));
  }
  if (outcome.unfinished) {
    services.io.Say(fmt::format("the worktree is not clean yet: {}; belay task sweep continues",
                                outcome.unfinished->message));
  }
  return 0;
}

Result<int> RunTaskResume(const Invocation& invocation, Services& services) {
  BELAY_TRY_ASSIGN(TaskId id, TaskId::Parse(invocation.operands().front()));
  BELAY_TRY_ASSIGN(const ResumeTaskOutcome outcome,
                   ResumeTask(services, {std::move(id), invocation.Value("--worktree")}));
  Io& io = services.io;
  if (outcome.context_restored) {
    io.Say("its context file was missing, and was restored from the vault's copy");
  }
  if (outcome.repeated) io.Say("it was resumed before, and no worker has claimed it yet");
  if (outcome.mode != ResumeMode::kResume) {
    io.Say(Printable(fmt::format(
        "{}: {}",
        outcome.mode == ResumeMode::kCold ? "cold start, the task is pending again" : "advisory",
        outcome.reason)));
  }
  io.Show(ResumedJson(outcome), outcome.text);
  return 0;
}

Result<int> RunTaskSweep(const Invocation&, Services& services) {
  BELAY_TRY_ASSIGN(const SweepOutcome outcome, SweepTasks(services));
  Json::Array rows;
  std::string text;
  for (const SweepOutcome::Row& row : outcome.rows) {
    rows.push_back(MakeObject({{"id", row.id},
                               {"what", row.what},
                               {"why", row.why},
                               {"owner", row.owner.empty() ? Json() : Json(row.owner)}}));
    text += Printable(fmt::format("{} {}: {}", row.id, row.what, row.why)) + "\n";
  }
  services.io.Show(
      MakeObject({{"tasks", std::move(rows)}, {"warnings", MakeArray(outcome.warnings)}}), text);
  for (const std::string& warning : outcome.warnings) services.io.Say(Printable(warning));
  if (outcome.rows.empty() && outcome.warnings.empty()) services.io.Say("nothing to do");
  return outcome.warnings.empty() ? 0 : 1;
}

}  // namespace belay
