#include "app/task_suspend.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "adapters/git/fields.h"
#include "adapters/git/stash.h"
#include "adapters/git/status.h"
#include "app/agents_view.h"
#include "app/session_place.h"
#include "app/taint.h"
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

// The agent that the worker is, if it is on record, and whether it runs.
struct WorkerState {
  std::optional<Identity> identity = {};
  bool runs = false;
};

Result<WorkerState> FindWorker(Env& env, const std::string& worker) {
  WorkerState state;
  BELAY_TRY_ASSIGN(const SessionPlace place,
                   FindSessionPlace(env, VaultUse::kRead, Mistakes::kWarn));
  IdentityLedger identities(env.files, env.clock, place.project);
  BELAY_TRY(identities.CatchUp());
  const Result<IdentityName> name = IdentityName::Parse(worker.substr(0, worker.find('#')));
  const Identity* identity = name ? identities.book().Find(*name) : nullptr;
  if (identity == nullptr) return state;
  state.identity = *identity;
  state.runs = MakeAgentRow(place.MakeEnv(env), *identity, {}).pid.has_value();
  return state;
}

bool IsCaller(const Env& env, const WorkerState& worker) {
  return worker.identity && env.caller && env.caller->agent &&
         env.caller->agent->identity() == worker.identity->id.identity();
}

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

// The same from a snapshot of that moment, without looking at the whole tree again.
Result<std::vector<std::string>> FilesIn(const Git& git, const SavedSnapshot& snapshot) {
  BELAY_TRY_ASSIGN(const std::vector<SnapshotChange> changes, ReadChanges(git, snapshot));
  std::set<std::string> files;
  for (const SnapshotChange& change : changes) files.insert(QuotePath(change.path));
  for (const SkippedPath& skipped : snapshot.record.skipped) files.insert(QuotePath(skipped.path));
  return std::vector<std::string>(files.begin(), files.end());
}

// Tracked changes and untracked files of this worktree, as git reports them.
Result<std::vector<std::string>> FilesModified(const Git& git,
                                               const std::optional<SavedSnapshot>& snapshot) {
  if (snapshot) return FilesIn(git, *snapshot);
  BELAY_TRY_ASSIGN(const GitStatus status, ReadStatus(git));
  std::vector<std::string> files;
  for (const StatusEntry& entry : status.entries) {
    const bool ours = entry.kind == StatusEntry::Kind::kIgnored || IsOwnPath(entry.path);
    if (!ours) files.push_back(QuotePath(entry.path));
  }
  return files;
}

std::vector<std::string> FilesPending(const Task& task, const std::vector<std::string>& modified) {
  std::vector<std::string> pending;
  for (const std::string& file : task.files) {
    if (std::ranges::find(modified, file) == modified.end()) pending.push_back(file);
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
  if (!task.work.snapshot.empty()) task.kept.push_back(task.work.snapshot);
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

Result<void> TellSuspended(Env& env, const Layout& project, const Task& task) {
  const Result<AgentId> worker = AgentId::Parse(task.work.worker);
  const Signal signal{
      .type = SignalType::kTaskSuspended,
      .from = worker ? worker->text() : "command",
      .to = Recipient::Guardian().text(),
      .at = env.clock.Wall(),
      .payload = MakeObject(
          {{"task_id", task.id.text()},
           {"context_path", task.context_path},
           {"reason", SuspendReasonName(task.work.reason.value_or(SuspendReason::kSignal))}})};
  BELAY_TRY(
      SignalBox(env.files, env.clock, env.random, project, Recipient::Guardian()).Send(signal));
  return {};
}

// A task that has failed for good: a person learns of it, with the tasks that wait for it.
Result<void> TellFailed(Env& env, const Layout& project, const Task& task,
                        const std::vector<std::string>& dependents) {
  std::string blocked;
  for (const std::string& id : dependents) blocked += (blocked.empty() ? "" : ", ") + id;
  const std::string reason = fmt::format(
      "task {} has failed for good: {}; its work is {}{}", task.id.text(), task.failure,
      task.work.snapshot_id.empty() ? "in its worktree" : "the snapshot " + task.work.snapshot_id,
      blocked.empty() ? "" : "; it blocks " + blocked);
  const Signal signal{.type = SignalType::kEscalate,
                      .from = "guardian",
                      .to = Recipient::Person().text(),
                      .at = env.clock.Wall(),
                      .payload = MakeObject({{"reason", reason}, {"task_id", task.id.text()}})};
  BELAY_TRY(SignalBox(env.files, env.clock, env.random, project, Recipient::Person()).Send(signal));
  return {};
}

// Nothing if the worktree is gone: then it needs no cleaning, and the snapshot has the work.
Result<std::optional<StoredWork>> FindStoredWork(Env& env, const Layout& project,
                                                 const Task& task) {
  if (task.work.snapshot.empty()) return std::optional<StoredWork>();
  Result<SnapshotPlace> at = PlaceOfWork(env, project, task.work.worktree, task.work.worker);
  if (!at && at.error().code == ErrorCode::kNotFound) return std::optional<StoredWork>();
  if (!at) return std::move(at).error();
  BELAY_TRY_ASSIGN(SavedSnapshot snapshot, FindSnapshot(at->git, at->keep, task.work.snapshot));
  return std::optional(StoredWork{*std::move(at), std::move(snapshot)});
}

// Lists the work as a stash entry, and cleans the tree. `outcome` gets what was done.
Result<void> PutAway(Env& env, const Task& task, const StoredWork& work,
                     SuspendTaskOutcome& outcome) {
  const auto& [at, snapshot] = work;
  if (snapshot.record.files > 0) {
    BELAY_TRY_ASSIGN(const bool listed,
                     IsInStash(at.git, env.files, at.repository.common_folder, snapshot.commit));
    if (!listed) BELAY_TRY(StoreStash(at.git, snapshot.commit, task.work.message));
  }
  BELAY_TRY_ASSIGN(Cleaned cleaned, CleanWorktree(at.At(env), snapshot));
  outcome.files = std::move(cleaned.files);
  outcome.left = std::move(cleaned.left);
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

Result<SuspendTaskOutcome> FinishSuspension(Env& env, const TaskPlace& place, TaskSource& tasks,
                                            TaskArcs& arcs, const Task& task,
                                            const std::optional<StoredWork>& work) {
  SuspendTaskOutcome outcome{.task = task};
  BELAY_TRY_ASSIGN(const TaskBook book, tasks.Read());
  if (task.permanently_failed) {
    for (const Task* other : book.DependentsOf(task)) {
      outcome.dependents.push_back(other->id.text());
    }
    BELAY_TRY(arcs.RemoveSuspended(task.arc, task.id));
    BELAY_TRY(TellFailed(env, place.project, task, outcome.dependents));
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

Result<std::string> WorktreeOf(Env& env, const Layout& project, const WorkerState& worker) {
  if (worker.identity && !worker.identity->worktree_path.empty()) {
    return worker.identity->worktree_path;
  }
  const Result<Repository> here = FindRepository(env.files, env.current_folder);
  return here ? here->worktree : project.Root();
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
  BELAY_TRY(CheckSuspendable(task, worker.substr(0, worker.find('#'))));
  BELAY_TRY_ASSIGN(const WorkerState state, FindWorker(env, worker));
  if (state.runs && !IsCaller(env, state)) {
    const std::string& name = state.identity->id.identity().text();
    return Error{ErrorCode::kRefused, fmt::format("{} still runs, and may change the files", name),
                 fmt::format("belay stop {}, then suspend its task", name)};
  }
  if (task.run.empty()) task.run = RunName(env.clock.Wall());
  BELAY_TRY_ASSIGN(const std::string worktree, WorktreeOf(env, place.project, state));
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

// Whether the context of a suspended task exists, or its copy in the vault does.
bool HasContext(Env& env, const Layout& project, const StateLock& lock, const Task& task) {
  if (!IsContextPathOf(task, task.context_path)) return false;
  const auto fits = [&](std::string_view bytes) {
    const Result<ParsedContext> read = ParseContextFile(bytes);
    return read && read->intact && read->context.task_id == task.id;
  };
  const Result<DocumentText> text =
      ReadOrRestoreDocument(env.files, lock, ContextDocument(project, task.context_path), fits);
  return text && text->bytes.has_value();
}

Result<Row> ResetTask(TaskSource& tasks, const Task& task, const std::string& why) {
  BELAY_TRY(tasks.Change(task.id, why, [&](Task& now, const TaskBook&) -> Result<void> {
    if (now != task) {
      return Error{ErrorCode::kBusy, fmt::format("task {} has just changed", now.id.text()),
                   "belay task sweep again"};
    }
    if (!now.work.snapshot.empty() && !now.work.restored) now.kept.push_back(now.work.snapshot);
    now.status = TaskStatus::kPending;
    now.owner.clear();
    now.suspended = false;
    now.context_path.clear();
    now.failure = why;
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
  if (task.suspended && !HasContext(env, place.project, lock, task)) {
    BELAY_TRY_ASSIGN(Row row,
                     ResetTask(tasks, task, "it was suspended, but its context file is missing"));
    BELAY_TRY(arcs.RemoveSuspended(task.arc, task.id));
    return std::optional(std::move(row));
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

// A worker that timed out, or that ended for good, without a context.
Result<std::optional<Row>> SweepRunning(Env& env, TaskSource& tasks, const Task& task,
                                        const std::optional<WallTime>& deadline) {
  const bool late = deadline && *deadline <= env.clock.Wall();
  if (task.status != TaskStatus::kInProgress || !late) return std::optional<Row>();
  BELAY_TRY_ASSIGN(const WorkerState worker, FindWorker(env, task.owner));
  if (worker.runs) {
    return std::optional(Row{task.id.text(), "running",
                             fmt::format("{} is past its deadline and still runs", task.owner),
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
  if (const Result<void> rendered = tasks.Render(); !rendered) {
    outcome.warnings.push_back(rendered.error().message);
  }
  return outcome;
}

}  // namespace belay
