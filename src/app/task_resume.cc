#include "app/task_resume.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "adapters/git/fields.h"
#include "adapters/git/status.h"
#include "app/agent_worktree.h"
#include "app/taint.h"
#include "app/task_cleanup.h"
#include "app/task_context_file.h"
#include "app/task_worker.h"
#include "base/path.h"
#include "snapshot/restore.h"

namespace belay {
namespace {

// What one resume works with.
class TaskResumer {
 public:
  explicit TaskResumer(TaskOperation& operation)
      : env_(operation.env),
        place_(operation.place),
        lock_(operation.lock),
        tasks_(operation.tasks),
        arcs_(operation.arcs),
        operation_(operation) {}

  Result<ResumeTaskOutcome> Run(const ResumeTaskRequest& request);

 private:
  Result<ResumeTaskOutcome> StartCold(const Task& task, const std::string& why);
  Result<ResumeTaskOutcome> Fail(const Task& task, std::uint32_t count);
  Result<ResumeTaskOutcome> Repeat(const Task& task, const ResumeTaskRequest& request);
  Result<void> RestoreAgain(const SnapshotPlace& at, ResumeTaskOutcome& outcome);
  Result<ResumeTaskOutcome> Resume(const Task& task, const FoundContext& found,
                                   const ResumeTaskRequest& request);
  Result<void> CheckWorkCanGo(const Task& task, const std::string& worktree);
  Result<SnapshotPlace> Where(const Task& task, const ResumeTaskRequest& request);
  Result<void> CheckFreeNow(const SnapshotPlace& at, const Task& task);
  Result<void> RestoreWork(const Task& task, const SnapshotPlace& at, SuspendedWork& work,
                           ResumeTaskOutcome& outcome);
  Result<void> Compare(const SnapshotPlace& at, const Task& task, const ContextFile& context,
                       TaskResumeFacts& facts);
  Result<void> RaiseCount(const Task& task, const FoundContext& found, std::uint32_t count);
  Result<void> TaintCaller(const Task& task);
  Result<void> Finish(const SnapshotPlace& at, TaskResumeFacts& facts, ResumeTaskOutcome& outcome);

  Env& env_;
  const TaskPlace& place_;
  const StateLock& lock_;
  OwnTasks& tasks_;
  TaskArcs& arcs_;
  TaskOperation& operation_;
};

std::string KeptText(const Task& task) {
  return task.work.snapshot_id.empty()
             ? std::string()
             : fmt::format("; its work is kept as the snapshot {} ({})", task.work.snapshot_id,
                           task.work.snapshot.substr(0, 10));
}

Result<ResumeTaskOutcome> TaskResumer::StartCold(const Task& task, const std::string& why) {
  ResumeTaskOutcome outcome{
      .task = task, .mode = ResumeMode::kCold, .reason = why + KeptText(task)};
  const auto start = [&](Task& now, const TaskBook&) -> Result<void> {
    KeepUnrestored(now);
    GiveBack(now);
    now.suspended = false;
    now.resuming = false;
    now.context_path.clear();
    now.failure = outcome.reason;
    now.work = {};
    return {};
  };
  BELAY_TRY_ASSIGN(outcome.task, tasks_.Change(task.id, "cold start: " + outcome.reason, start));
  BELAY_TRY(arcs_.RemoveSuspended(task.arc, task.id));
  return outcome;
}

Result<ResumeTaskOutcome> TaskResumer::Fail(const Task& task, std::uint32_t count) {
  const std::uint32_t most = place_.settings.max_resume_count;
  const std::string why =
      fmt::format("it was resumed {} times, and max_resume_count is {}", count, most);
  const auto fail = [&](Task& now, const TaskBook&) -> Result<void> {
    now.status = TaskStatus::kFailed;
    now.suspended = false;
    now.permanently_failed = true;
    now.failure = why;
    return {};
  };
  BELAY_TRY_ASSIGN(const Task failed, tasks_.Change(task.id, why, fail));
  BELAY_TRY(arcs_.RemoveSuspended(task.arc, task.id));
  BELAY_TRY_ASSIGN(const TaskBook book, tasks_.Read());
  BELAY_TRY(ReportFailed(env_, place_.project, failed, book));
  std::string hint = fmt::format("belay task reopen {} lets it continue", task.id.text());
  if (!task.work.snapshot_id.empty()) {
    hint +=
        fmt::format("; belay snapshot restore {} only brings its work back", task.work.snapshot_id);
  }
  return Error{
      ErrorCode::kRefused,
      fmt::format("task {} has failed for good: {}{}", task.id.text(), why, KeptText(task)),
      std::move(hint)};
}

// Work that never left its worktree can't be put into another one.
Result<void> TaskResumer::CheckWorkCanGo(const Task& task, const std::string& worktree) {
  const std::string& there = task.work.worktree;
  const bool stays = task.work.snapshot.empty() && there != worktree;
  if (!stays || !PlaceOfWork(env_, place_.project, there, {})) return {};
  return Error{ErrorCode::kRefused,
               fmt::format("the work of task {} never left {}", task.id.text(), QuotePath(there)),
               "leave --worktree out"};
}

Result<SnapshotPlace> TaskResumer::Where(const Task& task, const ResumeTaskRequest& request) {
  const Layout& project = place_.project;
  if (request.worktree) {
    BELAY_TRY_ASSIGN(const std::string path, FindAgentWorktree(env_, project, *request.worktree));
    BELAY_TRY(CheckWorkCanGo(task, path));
    return PlaceOfWork(env_, project, path, task.work.worker);
  }
  if (!task.work.worktree.empty()) {
    Result<SnapshotPlace> there = PlaceOfWork(env_, project, task.work.worktree, task.work.worker);
    if (there || there.error().code != ErrorCode::kNotFound) return there;
  }
  return PlaceOfWork(env_, project, WorktreeHere(env_, project), task.work.worker);
}

// As recorded at this moment. Held while the work is put there.
Result<void> TaskResumer::CheckFreeNow(const SnapshotPlace& at, const Task& task) {
  BELAY_TRY_ASSIGN(const TaskBook book, tasks_.Read());
  BELAY_TRY(CheckUnchanged(*book.Find(task.id.text()), task));
  return CheckFree(place_, book, at.repository.worktree, task.id);
}

Result<void> TaskResumer::RestoreWork(const Task& task, const SnapshotPlace& at,
                                      SuspendedWork& work, ResumeTaskOutcome& outcome) {
  if (task.work.snapshot.empty()) return {};
  Result<SavedSnapshot> snapshot = FindSnapshot(at.git, at.keep, task.work.snapshot);
  if (!snapshot && snapshot.error().code == ErrorCode::kNotFound) {
    outcome.reason =
        fmt::format("the snapshot {} is gone: {}", task.work.snapshot_id, snapshot.error().message);
    return {};
  }
  if (!snapshot) return std::move(snapshot).error();
  BELAY_TRY_ASSIGN(const SnapshotSettings settings,
                   SnapshotSettingsOrDefaults(env_, place_.project));
  BELAY_TRY_ASSIGN(Restored restored,
                   RestoreSnapshot(at.At(env_), {.snapshot = *std::move(snapshot),
                                                 .keep = at.keep,
                                                 .rules = settings.rules,
                                                 .after_clean = true}));
  for (const NotRestored& conflict : restored.conflicts) {
    outcome.changed.push_back(QuotePath(conflict.path));
  }
  work.restored = restored.conflicts.empty();
  outcome.restored = std::move(restored.files);
  if (!work.restored) {
    outcome.reason = fmt::format(
        "its files changed since, so its work was not put back; it is the snapshot {} ({})",
        task.work.snapshot_id, task.work.snapshot);
  }
  return {};
}

namespace {

// A base that is gone can't be compared; that it moved is reported anyway.
void AddChangedSince(const Git& git, const ContextFile& context, const std::string& now,
                     std::set<std::string>& changed) {
  const Result<ObjectId> from = ObjectId::Parse(context.base_commit);
  const Result<ObjectId> to = ObjectId::Parse(now);
  if (!from || !to) return;
  std::set<std::string> recorded(context.files_modified.begin(), context.files_modified.end());
  recorded.insert(context.files_pending.begin(), context.files_pending.end());
  const TreePair pair{*from, *to};
  const auto differences = CompareCommits(git, {&pair, 1});
  if (!differences) return;
  for (const TreeChange& change : differences->front()) {
    const std::string path = QuotePath(change.path);
    if (recorded.contains(path)) changed.insert(path);
  }
}

// The work stayed in the tree: it should still be there.
Result<void> AddNotModified(const Git& git, const ContextFile& context,
                            std::set<std::string>& changed) {
  BELAY_TRY_ASSIGN(const GitStatus status, ReadStatus(git));
  std::set<std::string> present;
  for (const StatusEntry& entry : status.entries) present.insert(QuotePath(entry.path));
  for (const std::string& file : context.files_modified) {
    if (!present.contains(file)) changed.insert(file);
  }
  return {};
}

}  // namespace

// The base commit and the recorded files, against the repository as it is now.
Result<void> TaskResumer::Compare(const SnapshotPlace& at, const Task& task,
                                  const ContextFile& context, TaskResumeFacts& facts) {
  const Result<std::string> head =
      at.git.Ask({"rev-parse", "--verify", "--quiet", "HEAD^{commit}"});
  const std::string now = head ? head->substr(0, head->find('\n')) : std::string();
  facts.base_moved = now != context.base_commit && !context.base_commit.empty();
  std::set<std::string> changed(facts.changed.begin(), facts.changed.end());
  if (facts.base_moved) AddChangedSince(at.git, context, now, changed);
  if (task.work.snapshot.empty()) {
    BELAY_TRY(AddNotModified(at.git, context, changed));
    facts.worktree_gone = !changed.empty() && at.repository.worktree != task.work.worktree;
  }
  facts.changed.assign(changed.begin(), changed.end());
  return {};
}

Result<void> TaskResumer::RaiseCount(const Task& task, const FoundContext& found,
                                     std::uint32_t count) {
  ContextFile context = found.read->context;
  context.resume_count = count;
  BELAY_TRY_ASSIGN(
      const DocumentChange change,
      ReplaceDocument(env_.files, lock_, ContextDocument(place_.project, task.context_path),
                      found.stamp, WriteContextFile(context, place_.settings.truncate_chars)));
  if (change == DocumentChange::kReplaced) return {};
  return Error{ErrorCode::kBusy,
               fmt::format("{}: another program has just changed it", task.context_path),
               fmt::format("belay task resume {} checks it again", task.id.text())};
}

// An agent that reads the text of a tainted worker is tainted, before it has the text.
Result<void> TaskResumer::TaintCaller(const Task& task) {
  if (!task.work.tainted || !env_.caller || !env_.caller->agent) return {};
  BELAY_TRY(MarkTaint(env_, {.agent = std::nullopt, .source = task.context_path, .tool = "task"}));
  return {};
}

Result<void> TaskResumer::Finish(const SnapshotPlace& at, TaskResumeFacts& facts,
                                 ResumeTaskOutcome& outcome) {
  BELAY_TRY_ASSIGN(const std::vector<SavedSnapshot> kept, KeptSnapshots(at.git, outcome.task));
  for (const SavedSnapshot& one : kept) facts.earlier.push_back(one.id.text());
  outcome.mode = IsAdvisory(facts) ? ResumeMode::kAdvisory : ResumeMode::kResume;
  if (outcome.reason.empty() && outcome.mode == ResumeMode::kAdvisory) {
    outcome.reason = facts.worktree_gone
                         ? fmt::format("its work stayed in {}, which no longer exists",
                                       QuotePath(outcome.task.work.worktree))
                         : "the repository has changed since";
  }
  outcome.changed = facts.changed;
  outcome.text = TaskResumeText(facts, env_.random);
  return {};
}

Result<ResumeTaskOutcome> TaskResumer::Resume(const Task& task, const FoundContext& found,
                                              const ResumeTaskRequest& request) {
  BELAY_TRY_ASSIGN(const SnapshotPlace at, Where(task, request));
  BELAY_TRY_ASSIGN(const StateLock worktree_lock,
                   LockWorktree(env_, place_.project, at.repository.worktree));
  BELAY_TRY(CheckFreeNow(at, task));
  ResumeTaskOutcome outcome{.task = task, .context_restored = found.restored};
  SuspendedWork work = task.work;
  if (!work.snapshot.empty()) work.worktree = at.repository.worktree;
  const ContextFile& context = found.read->context;
  work.tainted = work.tainted || context.tainted;
  const std::uint32_t count = task.resume_count + 1;
  TaskResumeFacts facts{.task = outcome.task,
                        .context = context,
                        .max_resume_count = place_.settings.max_resume_count,
                        .truncate_chars = place_.settings.truncate_chars};
  BELAY_TRY(RestoreWork(task, at, work, outcome));
  facts.changed = outcome.changed;
  BELAY_TRY(Compare(at, task, context, facts));
  BELAY_TRY(RaiseCount(task, found, count));
  const auto resume = [&](Task& now, const TaskBook& all) -> Result<void> {
    GiveBack(now);
    now.suspended = false;
    now.resuming = true;
    now.resume_count = count;
    now.work = work;
    facts.deadline = all.DeadlineAfter(now, env_.clock.Wall());
    return {};
  };
  const std::string why =
      fmt::format("resumed, {} of {} times", count, place_.settings.max_resume_count);
  BELAY_TRY_ASSIGN(outcome.task, tasks_.Change(task.id, why, resume));
  if (!task.arc.is_standalone()) BELAY_TRY(arcs_.RemoveSuspended(task.arc, task.id));
  BELAY_TRY(TaintCaller(outcome.task));
  BELAY_TRY(Finish(at, facts, outcome));
  return outcome;
}

// Into a worktree that doesn't have the work: another one, or one that it didn't fit before.
Result<void> TaskResumer::RestoreAgain(const SnapshotPlace& at, ResumeTaskOutcome& outcome) {
  const Task task = outcome.task;
  const bool moved = at.repository.worktree != task.work.worktree;
  if (task.work.snapshot.empty() || (task.work.restored && !moved)) return {};
  if (task.work.restored && PlaceOfWork(env_, place_.project, task.work.worktree, {})) {
    return Error{ErrorCode::kRefused,
                 fmt::format("the work of task {} is back in {}", task.id.text(),
                             QuotePath(task.work.worktree)),
                 fmt::format("continue there: --worktree {}", QuotePath(task.work.worktree))};
  }
  BELAY_TRY_ASSIGN(const StateLock worktree_lock,
                   LockWorktree(env_, place_.project, at.repository.worktree));
  BELAY_TRY(CheckFreeNow(at, task));
  SuspendedWork work = task.work;
  work.worktree = at.repository.worktree;
  work.restored = false;
  BELAY_TRY(RestoreWork(task, at, work, outcome));
  BELAY_TRY_ASSIGN(outcome.task,
                   tasks_.Change(task.id, fmt::format("its work was put into {}", work.worktree),
                                 [&](Task& now, const TaskBook&) -> Result<void> {
                                   if (IsWaitingForResumer(now)) now.work = work;
                                   return {};
                                 }));
  return {};
}

// The text may have been lost with the process that asked for it.
Result<ResumeTaskOutcome> TaskResumer::Repeat(const Task& task, const ResumeTaskRequest& request) {
  BELAY_TRY_ASSIGN(const FoundContext found, FindContext(env_, place_.project, lock_, task));
  if (const std::string why = WhyColdStart(task, found.read, place_.settings); !why.empty()) {
    return StartCold(task, why);
  }
  ResumeTaskOutcome outcome{.task = task, .context_restored = found.restored, .repeated = true};
  BELAY_TRY_ASSIGN(const SnapshotPlace at, Where(task, request));
  BELAY_TRY(RestoreAgain(at, outcome));
  TaskResumeFacts facts{.task = outcome.task,
                        .context = found.read->context,
                        .max_resume_count = place_.settings.max_resume_count,
                        .truncate_chars = place_.settings.truncate_chars,
                        .changed = outcome.changed};
  BELAY_TRY(Compare(at, task, found.read->context, facts));
  BELAY_TRY_ASSIGN(const TaskBook book, tasks_.Read());
  facts.deadline = book.DeadlineAfter(task, env_.clock.Wall());
  BELAY_TRY(TaintCaller(task));
  BELAY_TRY(Finish(at, facts, outcome));
  return outcome;
}

Result<ResumeTaskOutcome> TaskResumer::Run(const ResumeTaskRequest& request) {
  Task task = operation_.task;
  if (IsWaitingForResumer(task)) return Repeat(task, request);
  if (!task.suspended) {
    const bool runs = task.status == TaskStatus::kInProgress;
    return Error{ErrorCode::kNotFound,
                 fmt::format("task {} is {}, and not suspended", task.id.text(),
                             TaskStatusName(task.status)),
                 runs ? "belay task list shows the suspended ones" : HowToContinue(task)};
  }
  if (task.work.cleaning) {
    BELAY_TRY_ASSIGN(FinishedSuspension done, FinishSuspension(env_, place_, tasks_, arcs_, task));
    if (done.unfinished) return *std::move(done.unfinished);
    task = std::move(done.task);
  }
  BELAY_TRY_ASSIGN(const FoundContext found, FindContext(env_, place_.project, lock_, task));
  const std::string why = WhyColdStart(task, found.read, place_.settings);
  if (!why.empty()) return StartCold(task, why);
  if (task.resume_count >= place_.settings.max_resume_count) return Fail(task, task.resume_count);
  return Resume(task, found, request);
}

}  // namespace

Result<ResumeTaskOutcome> ResumeTask(Env& env, const ResumeTaskRequest& request) {
  BELAY_TRY_ASSIGN(const std::unique_ptr<TaskOperation> operation,
                   TaskOperation::Begin(env, request.id));
  Result<ResumeTaskOutcome> outcome = TaskResumer(*operation).Run(request);
  RenderTasks(env, operation->tasks);
  return outcome;
}

}  // namespace belay
