#include "app/task_suspend.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "adapters/git/fields.h"
#include "adapters/git/stash.h"
#include "app/session_place.h"
#include "app/taint.h"
#include "app/task_worker.h"
#include "base/path.h"
#include "ledger/identity_ledger.h"
#include "ledger/signal_box.h"
#include "ledger/taint_ledger.h"
#include "model/signal.h"
#include "snapshot/saved_snapshot.h"
#include "snapshot/take.h"
#include "store/vault.h"

namespace belay {
namespace {

constexpr Duration kTaskPatience = std::chrono::seconds(5);
constexpr int kMostWrites = 3;

// What one suspension works with.
struct Suspension {
  const TaskPlace& place;
  const SuspendTaskRequest& request;
  const Task& task;
  std::string worker;
  SnapshotPlace at;
  WallTime now;
};

bool IsTainted(const Env& env, const Layout& project, const std::string& worker) {
  IdentityLedger identities(env.files, env.clock, project);
  TaintLedger taints(env.files, env.clock, project);
  if (!identities.CatchUp() || !taints.CatchUp()) return true;  // unknown does not mean clean
  const Result<TaintSession> session = FindTaintSession(env, project, identities.book(), worker);
  const TaintSession whose = session ? *session : TaintSession{std::string(kManualSession)};
  return EffectiveTaint(taints.book(), whose).state == TaintState::kTainted;
}

// From the snapshot of that moment, without looking at the whole tree again.
Result<std::vector<std::string>> FilesIn(const Git& git, const SavedSnapshot& snapshot) {
  BELAY_TRY_ASSIGN(const std::vector<SnapshotChange> changes, ReadChanges(git, snapshot));
  std::set<std::string> files;
  for (const SnapshotChange& change : changes) files.insert(QuotePath(change.path));
  for (const SkippedPath& skipped : snapshot.record.skipped) files.insert(QuotePath(skipped.path));
  return std::vector<std::string>(files.begin(), files.end());
}

Result<std::vector<std::string>> FilesModified(const Git& git,
                                               const std::optional<SavedSnapshot>& snapshot) {
  return snapshot ? FilesIn(git, *snapshot) : UncommittedFiles(git);
}

// A target may be written as "./a", or be a folder.
std::string TargetPath(std::string_view file) {
  while (file.starts_with("./")) file.remove_prefix(2);
  while (file.ends_with('/')) file.remove_suffix(1);
  return QuotePath(file);
}

std::vector<std::string> FilesPending(const Task& task, const std::vector<std::string>& modified) {
  std::vector<std::string> pending;
  for (const std::string& file : task.files) {
    const std::string target = TargetPath(file);
    const bool touched = std::ranges::any_of(modified, [&](const std::string& path) {
      return path == target || path.starts_with(target + "/");
    });
    if (!touched) pending.push_back(target);
  }
  return pending;
}

// The highest count of an earlier context of the same arc and task, in any run: another writer, or
// a belay whose journal was lost, may have left it.
std::uint32_t CountOfEarlierContexts(const Env& env, const Layout& project, const Task& task) {
  std::uint32_t count = 0;
  const Result<std::vector<std::string>> runs =
      env.files.List(JoinPath(project.Root(), "tmp/work"));
  if (!runs) return count;
  for (const std::string& run : *runs) {
    Task there = task;
    there.run = run;
    const std::string name = ContextPath(there);
    if (!IsContextPathOf(task, name)) continue;
    const Result<DocumentText> text = ReadDocument(env.files, ContextDocument(project, name));
    if (!text || !text->bytes) continue;
    const Result<ParsedContext> read = ParseContextFile(*text->bytes);
    const bool its = read && read->intact && read->context.task_id == task.id;
    if (its) count = std::max(count, read->context.resume_count);
  }
  return count;
}

Result<std::optional<SavedSnapshot>> StoreWork(Env& env, const Suspension& suspension,
                                               const std::string& message) {
  if (!suspension.place.settings.stash_on_suspend) return std::optional<SavedSnapshot>();
  BELAY_TRY_ASSIGN(const SnapshotSettings settings,
                   SnapshotSettingsOrDefaults(env, suspension.place.project));
  BELAY_TRY_ASSIGN(Taken taken, TakeSnapshot(suspension.at.At(env), {.keep = suspension.at.keep,
                                                                     .message = message,
                                                                     .agent_id = suspension.worker,
                                                                     .rules = settings.rules}));
  return std::optional(std::move(taken.snapshot));
}

Result<void> WriteContext(Env& env, const StateLock& lock, const Layout& project,
                          const std::string& name, const std::string& bytes) {
  const Document document = ContextDocument(project, name);
  for (int i = 0; i < kMostWrites; ++i) {
    BELAY_TRY_ASSIGN(const DocumentText before, ReadDocument(env.files, document));
    BELAY_TRY_ASSIGN(const DocumentChange change,
                     ReplaceDocument(env.files, lock, document, before.stamp, bytes));
    if (change == DocumentChange::kReplaced) return {};
  }
  return Error{ErrorCode::kBusy, fmt::format("{}: another program keeps changing it", name),
               "try again in a moment"};
}

Result<void> CheckSuspendable(const Task& task, const std::optional<std::string>& owner) {
  const std::string& id = task.id.text();
  if (task.suspended) {
    return Error{ErrorCode::kRefused, fmt::format("task {} is suspended already", id),
                 fmt::format("belay task resume {} continues it", id)};
  }
  if (task.status != TaskStatus::kInProgress) {
    return Error{ErrorCode::kRefused,
                 fmt::format("task {} is {}, so there is nothing to suspend", id,
                             TaskStatusName(task.status)),
                 fmt::format("belay task claim {} takes it", id)};
  }
  if (owner && *owner != task.owner) {
    return Error{ErrorCode::kRefused, fmt::format("task {} belongs to {}", id, task.owner)};
  }
  return {};
}

// The record that makes it suspended, or failed for good.
void MarkSuspended(Task& task, SuspendedWork work, std::uint32_t count, const std::string& path,
                   std::uint32_t most) {
  if (!task.work.snapshot.empty() && !task.work.restored) task.kept.push_back(task.work.snapshot);
  task.work = std::move(work);
  task.resume_count = count;
  task.context_path = path;
  task.resuming = false;
  if (count < most) {
    task.suspended = true;
    return;
  }
  task.status = TaskStatus::kFailed;
  task.permanently_failed = true;
  task.failure = fmt::format("suspended again after {} of {} resumes", count, most);
  if (task.work.snapshot.empty()) return;
  task.failure += fmt::format("; its work is the snapshot {}", task.work.snapshot_id);
  task.kept.push_back(task.work.snapshot);
}

Result<Task> RecordSuspension(TaskSource& tasks, const Suspension& suspension,
                              const SuspendedWork& work, std::uint32_t count,
                              const std::string& path) {
  const std::string why =
      fmt::format("suspended: {}{}", SuspendReasonName(suspension.request.reason),
                  work.snapshot_id.empty() ? "" : ", its work is " + work.snapshot_id);
  return tasks.Change(suspension.task.id, why, [&](Task& task, const TaskBook&) -> Result<void> {
    BELAY_TRY(CheckSuspendable(task, suspension.task.owner));
    MarkSuspended(task, work, count, path, suspension.place.settings.max_resume_count);
    if (task.run.empty()) task.run = suspension.task.run;
    return {};
  });
}

// Everything up to the record.
Result<Task> StoreSuspension(Env& env, const StateLock& lock, TaskSource& tasks,
                             const Suspension& suspension, std::optional<SavedSnapshot>& snapshot) {
  const TaskPlace& place = suspension.place;
  const auto epoch =
      std::chrono::duration_cast<std::chrono::seconds>(suspension.now.time_since_epoch()).count();
  SuspendedWork work{
      .reason = suspension.request.reason,
      .worker = suspension.worker,
      .worktree = suspension.at.repository.worktree,
      .message = fmt::format("rune-suspend-task-{}-{}", suspension.task.id.text(), epoch),
      .cleaning = true,
      .tainted = IsTainted(env, place.project, suspension.worker)};
  BELAY_TRY_ASSIGN(snapshot, StoreWork(env, suspension, work.message));
  BELAY_TRY_ASSIGN(const std::vector<std::string> modified,
                   FilesModified(suspension.at.git, snapshot));
  if (snapshot) {
    work.snapshot = snapshot->commit.text();
    work.snapshot_id = snapshot->id.text();
    if (snapshot->record.has_base) work.base_commit = snapshot->base.text();
  } else {
    const Result<std::string> head =
        suspension.at.git.Ask({"rev-parse", "--verify", "--quiet", "HEAD^{commit}"});
    if (head) work.base_commit = head->substr(0, head->find('\n'));
  }
  const std::uint32_t count = suspension.task.resume_count > 0
                                  ? suspension.task.resume_count
                                  : CountOfEarlierContexts(env, place.project, suspension.task);
  const std::string path = ContextPath(suspension.task);
  const ContextFile context{.task_id = suspension.task.id,
                            .worker = suspension.worker,
                            .timestamp = suspension.now,
                            .reason = suspension.request.reason,
                            .files_modified = modified,
                            .files_pending = FilesPending(suspension.task, modified),
                            .last_action = suspension.request.last_action,
                            .resume_count = count,
                            .base_commit = work.base_commit,
                            .snapshot = work.snapshot,
                            .tainted = work.tainted,
                            .body = suspension.request.state};
  BELAY_TRY(WriteContext(env, lock, place.project, path,
                         WriteContextFile(context, place.settings.truncate_chars)));
  return RecordSuspension(tasks, suspension, work, count, path);
}

// A signal that still waits is not sent again, however often the sweep tries.
Result<void> SendOnce(Env& env, const Layout& project, const Recipient& who, const Signal& signal) {
  SignalBox box(env.files, env.clock, env.random, project, who);
  BELAY_TRY_ASSIGN(const std::vector<Signal> waiting, box.Peek());
  for (const Signal& one : waiting) {
    if (one.type == signal.type && one.payload == signal.payload) return {};
  }
  BELAY_TRY(box.Send(signal));
  return {};
}

Result<void> TellSuspended(Env& env, const Layout& project, const Task& task) {
  // In the name of its worker only if that is the one who suspends it.
  const bool itself =
      env.caller && env.caller->agent && env.caller->agent->text() == task.work.worker;
  const Signal signal{
      .type = SignalType::kTaskSuspended,
      .from = itself ? task.work.worker : "command",
      .to = Recipient::Guardian().text(),
      .at = env.clock.Wall(),
      .payload = MakeObject(
          {{"task_id", task.id.text()},
           {"context_path", task.context_path},
           {"resume_count", std::int64_t{task.resume_count}},
           {"reason", SuspendReasonName(task.work.reason.value_or(SuspendReason::kSignal))}})};
  return SendOnce(env, project, Recipient::Guardian(), signal);
}

// Nothing if there is nothing to clean: the worktree is gone, and the snapshot has the work.
Result<std::optional<StoredWork>> FindStoredWork(Env& env, const Layout& project,
                                                 const Task& task) {
  if (task.work.snapshot.empty()) return std::optional<StoredWork>();
  Result<SnapshotPlace> at = PlaceOfWork(env, project, task.work.worktree, task.work.worker);
  if (!at && at.error().code == ErrorCode::kNotFound) return std::optional<StoredWork>();
  if (!at) return std::move(at).error();
  Result<SavedSnapshot> snapshot = FindSnapshot(at->git, at->keep, task.work.snapshot);
  // It was deleted by other means than belay: then nothing may be cleaned.
  if (!snapshot && snapshot.error().code == ErrorCode::kNotFound) {
    env.say(fmt::format("the snapshot {} of task {} is gone; {} stays as it is",
                        task.work.snapshot_id, task.id.text(), task.work.worktree));
    return std::optional<StoredWork>();
  }
  if (!snapshot) return std::move(snapshot).error();
  return std::optional(StoredWork{*std::move(at), *std::move(snapshot)});
}

Result<void> ListAsStash(Env& env, const Task& task, const StoredWork& work) {
  const auto& [at, snapshot] = work;
  if (snapshot.record.files == 0) return {};
  BELAY_TRY_ASSIGN(const StateLock lock, LockStash(env, at.project));
  BELAY_TRY_ASSIGN(const std::set<ObjectId> there,
                   StashedCommits(at.git, env.files, at.repository.common_folder));
  if (there.contains(snapshot.commit)) return {};
  return StoreStash(at.git, snapshot.commit, task.work.message);
}

// Lists the work as a stash entry, and cleans the tree. `outcome` gets what was done.
Result<void> PutAway(Env& env, const Task& task, const StoredWork& work,
                     SuspendTaskOutcome& outcome) {
  const auto& [at, snapshot] = work;
  BELAY_TRY(ListAsStash(env, task, work));
  BELAY_TRY_ASSIGN(Cleaned cleaned, CleanWorktree(at.At(env), snapshot));
  outcome.files = std::move(cleaned.files);
  outcome.left = std::move(cleaned.left);
  for (const SkippedPath& skipped : snapshot.record.skipped) {
    outcome.left.push_back(
        {skipped.path, fmt::format("not stored: {}", SkipReasonMeaning(skipped.reason))});
  }
  return {};
}

Result<void> PutAwayFound(Env& env, const Layout& project, const Task& task,
                          SuspendTaskOutcome& outcome) {
  BELAY_TRY_ASSIGN(const std::optional<StoredWork> work, FindStoredWork(env, project, task));
  return work ? PutAway(env, task, *work, outcome) : Result<void>();
}

}  // namespace

Result<StateLock> LockTask(Env& env, const Layout& project, const TaskId& id, Duration limit) {
  return LockJournalUnchecked(env.files, project, "task-" + id.text(), limit);
}

Document ContextDocument(const Layout& project, const std::string& name) {
  return {.root = project.Root(), .name = name, .copy = project.DocumentCopy(name)};
}

Result<SnapshotPlace> PlaceOfWork(Env& env, const Layout& project, const std::string& worktree,
                                  const std::string& worker) {
  Result<Repository> found = FindRepository(env.files, worktree);
  const bool ours =
      found && Layout(project.Root(), found->common_folder).Vault() == project.Vault();
  if (!ours) {
    return Error{ErrorCode::kNotFound,
                 fmt::format("{} is not a worktree of this repository", QuotePath(worktree)),
                 "--worktree PATH names another one"};
  }
  const Result<IdentityName> name = IdentityName::Parse(worker.substr(0, worker.find('#')));
  KeepName keep = name ? KeepName::OfAgent(*name) : KeepName::OfWorktree(*found);
  return DescribePlace(*std::move(found), std::move(keep), project, env);
}

Result<std::vector<std::string>> ReportFailed(Env& env, const Layout& project, const Task& task,
                                              const TaskBook& book) {
  std::vector<std::string> dependents;
  std::string blocked;
  for (const Task* other : book.DependentsOf(task)) {
    dependents.push_back(other->id.text());
    blocked += (blocked.empty() ? "" : ", ") + other->id.text();
  }
  const std::string reason = fmt::format(
      "task {} has failed for good: {}; its work is {}{}", task.id.text(), task.failure,
      task.work.snapshot_id.empty() ? "in its worktree" : "the snapshot " + task.work.snapshot_id,
      blocked.empty() ? "" : "; it blocks " + blocked);
  const Signal signal{.type = SignalType::kEscalate,
                      .from = "guardian",
                      .to = Recipient::Person().text(),
                      .at = env.clock.Wall(),
                      .payload = MakeObject({{"reason", reason}, {"task_id", task.id.text()}})};
  BELAY_TRY(SendOnce(env, project, Recipient::Person(), signal));
  return dependents;
}

Result<FoundContext> FindContext(Env& env, const Layout& project, const StateLock& lock,
                                 const Task& task) {
  FoundContext found;
  if (!IsContextPathOf(task, task.context_path)) {
    found.read = Error{ErrorCode::kRefused, "its context path isn't one of this task"};
    return found;
  }
  const auto fits = [&](std::string_view bytes) {
    const Result<ParsedContext> copy = ParseContextFile(bytes);
    return copy && copy->intact && copy->context.task_id == task.id;
  };
  Result<DocumentText> text =
      ReadOrRestoreDocument(env.files, lock, ContextDocument(project, task.context_path), fits);
  if (!text) {
    const ErrorCode code = text.error().code;
    const bool unusable = code == ErrorCode::kRefused || code == ErrorCode::kDamaged;
    if (!unusable) return std::move(text).error();
    found.read = std::move(text).error();
  } else if (text->bytes) {
    found.read = ParseContextFile(*text->bytes);
    found.stamp = text->stamp;
    found.restored = text->restored;
  }
  return found;
}

Result<SuspendTaskOutcome> FinishSuspension(Env& env, const TaskPlace& place, TaskSource& tasks,
                                            TaskArcs& arcs, const Task& task,
                                            const std::optional<StoredWork>& work) {
  SuspendTaskOutcome outcome{.task = task};
  BELAY_TRY_ASSIGN(const TaskBook book, tasks.Read());
  if (task.permanently_failed) {
    BELAY_TRY(arcs.RemoveSuspended(task.arc, task.id));
    BELAY_TRY_ASSIGN(outcome.dependents, ReportFailed(env, place.project, task, book));
  } else {
    if (!task.arc.is_standalone()) {
      BELAY_TRY(arcs.AddSuspended(task.arc, {task.id, task.context_path,
                                             task.work.reason.value_or(SuspendReason::kSignal)}));
    }
    BELAY_TRY(TellSuspended(env, place.project, task));
  }
  const Result<void> away =
      work ? PutAway(env, task, *work, outcome) : PutAwayFound(env, place.project, task, outcome);
  if (!away) {
    outcome.unfinished = away.error();
    return outcome;
  }
  BELAY_TRY_ASSIGN(outcome.task, tasks.Change(task.id, "its worktree is clean",
                                              [](Task& now, const TaskBook&) -> Result<void> {
                                                now.work.cleaning = false;
                                                return {};
                                              }));
  return outcome;
}

namespace {

// Its processes must be gone, or it suspends its task itself.
Result<void> CheckStopped(const Env& env, const WorkerState& worker) {
  if ((!worker.runs && !worker.returns) || IsCaller(env, worker)) return {};
  const std::string& name = worker.identity->id.identity().text();
  return Error{ErrorCode::kRefused,
               fmt::format("{} {}, and may change the files", name,
                           worker.runs ? "still runs" : "will be restarted"),
               fmt::format("belay stop {}, then suspend its task", name)};
}

Result<Suspension> PrepareSuspension(Env& env, const TaskPlace& place,
                                     const SuspendTaskRequest& request, Task& task) {
  if (!place.settings.enabled) {
    return Error{ErrorCode::kRefused, "context_preservation.enabled is false in the settings",
                 "belay snapshot take keeps the work of a worktree"};
  }
  const Result<std::string> named = WorkerName(env, request.worker);
  if (!named && (request.worker || named.error().code != ErrorCode::kUsage)) return named.error();
  const std::string worker = named ? *named : task.owner;
  BELAY_TRY(CheckSuspendable(task, OwnerName(worker)));
  BELAY_TRY_ASSIGN(const WorkerState state, FindWorker(env, worker));
  BELAY_TRY(CheckStopped(env, state));
  if (task.run.empty()) task.run = RunName(env.clock.Wall());
  const std::string worktree = WorktreeOf(env, place.project, state);
  BELAY_TRY_ASSIGN(SnapshotPlace at, PlaceOfWork(env, place.project, worktree, worker));
  const std::string id = state.identity ? state.identity->id.text() : worker;
  return Suspension{place, request, task, id, std::move(at), env.clock.Wall()};
}

}  // namespace

Result<SuspendTaskOutcome> SuspendTask(Env& env, const SuspendTaskRequest& request) {
  BELAY_TRY_ASSIGN(const TaskPlace place,
                   FindTaskPlace(env, VaultUse::kWrite, TaskMistakes::kWarn));
  BELAY_TRY_ASSIGN(const StateLock lock, LockTask(env, place.project, request.id, kTaskPatience));
  OwnTasks tasks(env.files, env.clock, place.project);
  NoArcs arcs;
  BELAY_TRY_ASSIGN(const TaskBook book, tasks.Read());
  const Task* known = book.Find(request.id.text());
  if (known == nullptr) return NoSuchTask(book, request.id.text());
  Task task = *known;
  BELAY_TRY_ASSIGN(const Suspension suspension, PrepareSuspension(env, place, request, task));
  // Of an earlier suspension, whose record is about to be replaced.
  if (task.work.restored) DropStashEntry(env, place.project, task);
  std::optional<SavedSnapshot> snapshot;
  BELAY_TRY_ASSIGN(const Task suspended, StoreSuspension(env, lock, tasks, suspension, snapshot));
  std::optional<StoredWork> work;
  if (snapshot) work = StoredWork{suspension.at, *std::move(snapshot)};
  BELAY_TRY_ASSIGN(SuspendTaskOutcome outcome,
                   FinishSuspension(env, place, tasks, arcs, suspended, work));
  if (const Result<void> rendered = tasks.Render(); !rendered) {
    env.say(
        fmt::format("recorded, but tasks.json is not up to date: {}", rendered.error().message));
  }
  return outcome;
}

namespace {

using Row = SweepOutcome::Row;

Result<Row> ResetTask(TaskSource& tasks, const Task& task, const std::string& why) {
  BELAY_TRY(tasks.Change(task.id, why, [&](Task& now, const TaskBook&) -> Result<void> {
    if (now != task) {
      return Error{ErrorCode::kBusy, fmt::format("task {} has just changed", now.id.text()),
                   "belay task sweep again"};
    }
    now.status = TaskStatus::kPending;
    now.owner.clear();
    now.failure = why;
    // Its worker never had the work that was resumed for it: that still waits.
    if (now.resuming) return {};
    if (!now.work.snapshot.empty() && !now.work.restored) now.kept.push_back(now.work.snapshot);
    now.suspended = false;
    now.context_path.clear();
    now.work = {};
    return {};
  }));
  const std::string kept =
      task.work.snapshot_id.empty() || !task.suspended
          ? std::string()
          : fmt::format("; its work is the snapshot {}", task.work.snapshot_id);
  return Row{task.id.text(), "reset", why + kept, task.owner};
}

Result<std::optional<Row>> SweepSuspended(Env& env, const TaskPlace& place, TaskSource& tasks,
                                          TaskArcs& arcs, const StateLock& lock, const Task& task) {
  if (task.suspended) {
    BELAY_TRY_ASSIGN(const FoundContext found, FindContext(env, place.project, lock, task));
    // A file that is there is judged when the task is resumed.
    const bool missing = !found.read && found.read.error().code != ErrorCode::kDamaged;
    if (missing) {
      BELAY_TRY_ASSIGN(
          Row row, ResetTask(tasks, task,
                             fmt::format("it was suspended, but {}", found.read.error().message)));
      BELAY_TRY(arcs.RemoveSuspended(task.arc, task.id));
      return std::optional(std::move(row));
    }
  }
  if (task.work.cleaning) {
    BELAY_TRY_ASSIGN(const SuspendTaskOutcome done,
                     FinishSuspension(env, place, tasks, arcs, task));
    if (done.unfinished) return *done.unfinished;
    return std::optional(Row{task.id.text(), "finished", "its suspension was interrupted"});
  }
  if (!task.suspended) return std::optional<Row>();
  return std::optional(Row{task.id.text(), "suspended",
                           fmt::format("belay task resume {} continues it", task.id.text())});
}

// A worker that timed out without a context.
Result<std::optional<Row>> SweepRunning(Env& env, TaskSource& tasks, const Task& task,
                                        const std::optional<WallTime>& deadline) {
  const bool late = deadline && *deadline <= env.clock.Wall();
  if (task.status != TaskStatus::kInProgress || !late) return std::optional<Row>();
  BELAY_TRY_ASSIGN(const WorkerState worker, FindWorker(env, task.owner));
  if (worker.runs || worker.returns) {
    return std::optional(
        Row{task.id.text(), "running",
            fmt::format("{} is past its deadline and {}; belay stop {}", task.owner,
                        worker.runs ? "still runs" : "will be restarted", task.owner),
            task.owner});
  }
  BELAY_TRY_ASSIGN(
      Row row, ResetTask(tasks, task, fmt::format("{} timed out without a context", task.owner)));
  return std::optional(std::move(row));
}

Result<std::optional<Row>> SweepTask(Env& env, const TaskPlace& place, TaskSource& tasks,
                                     TaskArcs& arcs, const std::string& id) {
  const TaskId task_id = *TaskId::Parse(id);
  // Another process suspends or resumes it right now.
  Result<StateLock> lock = LockTask(env, place.project, task_id, Duration::zero());
  if (!lock && lock.error().code == ErrorCode::kBusy) return std::optional<Row>();
  if (!lock) return std::move(lock).error();
  BELAY_TRY_ASSIGN(const TaskBook book, tasks.Read());
  const Task* task = book.Find(id);
  if (task == nullptr) return std::optional<Row>();
  if (task->suspended || task->work.cleaning) {
    return SweepSuspended(env, place, tasks, arcs, *lock, *task);
  }
  std::optional<WallTime> deadline = book.DeadlineOf(*task);
  if (!task->arc.is_standalone()) {
    BELAY_TRY_ASSIGN(const std::optional<WallTime> arc, arcs.DeadlineOf(task->arc));
    if (arc && (!deadline || *arc < *deadline)) deadline = arc;
  }
  return SweepRunning(env, tasks, *task, deadline);
}

bool NeedsSweep(const Task& task) {
  return task.suspended || task.work.cleaning || task.status == TaskStatus::kInProgress;
}

// A process that acknowledged a resume, and was killed before it removed the stash entry.
Result<void> SweepStash(Env& env, const Layout& project, const TaskBook& book,
                        SweepOutcome& outcome) {
  const Git git(env.programs, env.environment, project.Root());
  const std::string common(ParentPath(project.Vault()));
  BELAY_TRY_ASSIGN(const std::set<ObjectId> there, StashedCommits(git, env.files, common));
  if (there.empty()) return {};
  for (const auto& [id, task] : book.tasks()) {
    const Result<ObjectId> commit = ObjectId::Parse(task.work.snapshot);
    if (!commit || !IsAcknowledged(task) || !there.contains(*commit)) continue;
    DropStashEntry(env, project, task);
    outcome.rows.push_back({id, "finished", "its stash entry was no longer needed"});
  }
  return {};
}

}  // namespace

Result<SweepOutcome> SweepTasks(Env& env) {
  BELAY_TRY_ASSIGN(const TaskPlace place,
                   FindTaskPlace(env, VaultUse::kWrite, TaskMistakes::kWarn));
  OwnTasks tasks(env.files, env.clock, place.project);
  NoArcs arcs;
  BELAY_TRY_ASSIGN(const TaskBook book, tasks.Read());
  SweepOutcome outcome;
  for (const auto& [id, task] : book.tasks()) {
    if (!NeedsSweep(task)) continue;
    Result<std::optional<Row>> row = SweepTask(env, place, tasks, arcs, id);
    if (!row) {
      outcome.warnings.push_back(fmt::format("task {}: {}", id, row.error().message));
    } else if (*row) {
      outcome.rows.push_back(**std::move(row));
    }
  }
  if (const Result<void> swept = SweepStash(env, place.project, book, outcome); !swept) {
    outcome.warnings.push_back(swept.error().message);
  }
  if (const Result<void> rendered = tasks.Render(); !rendered) {
    outcome.warnings.push_back(rendered.error().message);
  }
  return outcome;
}

}  // namespace belay
