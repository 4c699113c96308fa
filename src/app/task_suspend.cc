#include "app/task_suspend.h"

#include <fmt/core.h>

#include <algorithm>

#include "adapters/git/checkout_facts.h"
#include "adapters/git/fields.h"
#include "app/agent_worktree.h"
#include "app/taint.h"
#include "app/task_context_file.h"
#include "app/task_worker.h"
#include "ledger/identity_ledger.h"
#include "ledger/taint_ledger.h"
#include "snapshot/take.h"

namespace belay {
namespace {

// What one suspension works with.
struct Suspension {
  TaskOperation& operation;
  const SuspendTaskRequest& request;
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

// A target may be written as "./a", or be a folder.
std::string TargetPath(std::string_view file) {
  while (file.starts_with("./")) file.remove_prefix(2);
  while (file.ends_with('/')) file.remove_suffix(1);
  return std::string(file);
}

std::vector<std::string> FilesPending(const Task& task, const std::vector<std::string>& modified) {
  std::vector<std::string> pending;
  for (const std::string& file : task.files) {
    const std::string target = TargetPath(file);
    const bool touched = std::ranges::any_of(modified, [&](const std::string& path) {
      return path == target || path.starts_with(target + "/");
    });
    if (!touched) pending.push_back(QuotePath(target));
  }
  return pending;
}

Result<void> CheckSuspendable(const Task& task, const std::string& owner) {
  const std::string& id = task.id.text();
  if (task.suspended) {
    return Error{ErrorCode::kRefused, fmt::format("task {} is suspended already", id),
                 HowToContinue(task)};
  }
  if (task.status != TaskStatus::kInProgress) {
    return Error{ErrorCode::kRefused,
                 fmt::format("task {} is {}, so there is nothing to suspend", id,
                             TaskStatusName(task.status)),
                 HowToContinue(task)};
  }
  if (owner != task.owner) {
    return Error{ErrorCode::kRefused, fmt::format("task {} belongs to {}", id, task.owner),
                 "omit --worker to suspend it for its owner"};
  }
  return {};
}

// What the context says about the work.
struct Described {
  SuspendedWork work;
  std::vector<std::string> modified = {};  // paths, as they are
  std::optional<SavedSnapshot> snapshot = {};
};

Result<void> StoreWork(Env& env, const Suspension& suspension, Described& described) {
  SuspendedWork& work = described.work;
  BELAY_TRY_ASSIGN(const SnapshotSettings settings,
                   SnapshotSettingsOrDefaults(env, suspension.operation.place.project));
  BELAY_TRY_ASSIGN(Taken taken, TakeSnapshot(suspension.at.At(env), {.keep = suspension.at.keep,
                                                                     .message = work.message,
                                                                     .agent_id = suspension.worker,
                                                                     .rules = settings.rules}));
  work.snapshot = taken.snapshot.commit.text();
  work.snapshot_id = taken.snapshot.id.text();
  if (taken.snapshot.record.has_base) work.base_commit = taken.snapshot.base.text();
  described.modified = std::move(taken.uncommitted);
  described.snapshot = std::move(taken.snapshot);
  return {};
}

// With `stash_on_suspend: false`: the work stays in the tree.
Result<void> DescribeWork(const Suspension& suspension, Described& described) {
  BELAY_TRY_ASSIGN(described.modified, UncommittedFiles(suspension.at.git));
  const Result<std::string> head =
      suspension.at.git.Ask({"rev-parse", "--verify", "--quiet", "HEAD^{commit}"});
  if (head) described.work.base_commit = head->substr(0, head->find('\n'));
  return {};
}

Result<Described> StoreOrDescribe(Env& env, const Suspension& suspension) {
  const TaskPlace& place = suspension.operation.place;
  const auto epoch =
      std::chrono::duration_cast<std::chrono::seconds>(suspension.now.time_since_epoch()).count();
  const std::string& id = suspension.operation.task.id.text();
  Described described{.work = {.reason = suspension.request.reason,
                               .worker = suspension.worker,
                               .worktree = suspension.at.repository.worktree,
                               .message = fmt::format("rune-suspend-task-{}-{}", id, epoch),
                               .cleaning = true,
                               .tainted = IsTainted(env, place.project, suspension.worker)}};
  const bool stores = place.settings.stash_on_suspend && !suspension.request.keep_tree;
  BELAY_TRY(stores ? StoreWork(env, suspension, described) : DescribeWork(suspension, described));
  return described;
}

ContextFile ContextOf(const Suspension& suspension, const Described& described,
                      const Task& suspended) {
  return {.task_id = suspended.id,
          .worker = suspension.worker,
          .timestamp = suspension.now,
          .reason = suspension.request.reason,
          .files_modified = QuotePaths(described.modified),
          .files_pending = FilesPending(suspended, described.modified),
          .last_action = suspension.request.last_action,
          .resume_count = suspended.resume_count,
          .base_commit = described.work.base_commit,
          .snapshot = described.work.snapshot,
          .tainted = described.work.tainted,
          .earlier_snapshots = suspended.kept,
          .body = suspension.request.state};
}

// The task as it will be recorded: suspended, or failed for good.
void MarkSuspended(Task& task, const SuspendedWork& work, std::uint32_t most) {
  task.work = work;
  task.context_path = ContextPath(task);
  task.resuming = false;
  if (task.resume_count < most) {
    task.suspended = true;
    return;
  }
  task.status = TaskStatus::kFailed;
  task.permanently_failed = true;
  task.failure = fmt::format("suspended again after {} of {} resumes", task.resume_count, most);
  if (!task.work.snapshot.empty()) {
    task.failure += fmt::format("; its work is the snapshot {}", task.work.snapshot_id);
  }
}

// Snapshots with earlier work that a person has deleted needn't be named any more.
Result<void> ForgetDropped(const Git& git, Task& task) {
  BELAY_TRY_ASSIGN(const std::vector<SavedSnapshot> there, KeptSnapshots(git, task));
  std::erase_if(task.kept, [&](const std::string& commit) {
    return std::ranges::none_of(
        there, [&](const SavedSnapshot& one) { return one.commit.text() == commit; });
  });
  return {};
}

// Everything up to the record.
Result<Task> StoreSuspension(Env& env, const Suspension& suspension, const Described& described) {
  TaskOperation& operation = suspension.operation;
  const TaskContextSettings& settings = operation.place.settings;
  Task task = operation.task;
  task.run = RunForContext(env, operation.place.project, task, suspension.now);
  task.worktree = suspension.at.repository.worktree;
  if (task.resume_count == 0) {
    task.resume_count = CountOfEarlierContexts(env, operation.place.project, task);
  }
  KeepUnrestored(task);
  BELAY_TRY(ForgetDropped(suspension.at.git, task));
  MarkSuspended(task, described.work, settings.max_resume_count);
  const std::string bytes =
      WriteContextFile(ContextOf(suspension, described, task), settings.truncate_chars);
  BELAY_TRY(WriteContext(env, operation.lock, operation.place.project, task.context_path, bytes));
  const std::string& id = described.work.snapshot_id;
  const std::string why =
      fmt::format("suspended: {}{}", SuspendReasonName(suspension.request.reason),
                  id.empty() ? "" : ", its work is " + id);
  return operation.tasks.Change(task.id, why, [&](Task& now, const TaskBook&) -> Result<void> {
    BELAY_TRY(CheckSuspendable(now, operation.task.owner));
    BELAY_TRY(CheckUnchanged(now, operation.task));
    now = task;
    return {};
  });
}

// Where the work is. A worktree that was moved is named by the request; an agent can only name its
// own.
Result<std::string> WorktreeOfWork(Env& env, const TaskOperation& operation,
                                   const SuspendTaskRequest& request, const WorkerState& worker) {
  const Layout& project = operation.place.project;
  const std::string& id = operation.task.id.text();
  const std::string there = WorktreeOf(env, project, operation.task, worker.identity);
  const bool gone = IsMissing(env.files.Inspect(there));
  const std::string agent_in = worker.identity ? worker.identity->worktree_path : std::string();
  if (request.worktree) {
    BELAY_TRY_ASSIGN(const std::string named, FindAgentWorktree(env, project, *request.worktree));
    const bool allowed = !env.caller || !env.caller->agent || named == agent_in;
    if (named == there || (gone && allowed)) return named;
    return Error{ErrorCode::kRefused,
                 fmt::format("task {} is worked on in {}", id, QuotePath(there)),
                 "omit --worktree"};
  }
  if (gone) {
    return Error{
        ErrorCode::kNotFound,
        fmt::format("the worktree of task {}, {}, no longer exists", id, QuotePath(there)),
        fmt::format("if it was moved, --worktree PATH says where; if it was deleted, belay "
                    "task reopen {} makes the task pending again",
                    id)};
  }
  if (!agent_in.empty() && agent_in != there) {
    return Error{ErrorCode::kRefused,
                 fmt::format("task {} was claimed in {}, and {} works in {} now", id,
                             QuotePath(there), operation.task.owner, QuotePath(agent_in)),
                 fmt::format("belay task claim {} --worker {} moves the task there", id,
                             operation.task.owner)};
  }
  return there;
}

// Nothing that a suspension would lose, or take from another task.
Result<void> CheckWorktree(const Env& env, const TaskOperation& operation,
                           const SuspendTaskRequest& request, const Repository& repository) {
  if (!operation.place.CleansWorktrees() || request.keep_tree) return {};
  BELAY_TRY(CheckFree(operation.place, operation.book, repository.worktree, operation.task.id));
  const std::string under_way = OperationUnderWay(env.files, repository.git_folder);
  if (under_way.empty()) return {};
  return Error{ErrorCode::kRefused,
               fmt::format("{} is under way in {}, and suspending would lose its state", under_way,
                           QuotePath(repository.worktree)),
               "git status there shows how to finish or abort it; then suspend the task again"};
}

Result<Suspension> PrepareSuspension(Env& env, TaskOperation& operation,
                                     const SuspendTaskRequest& request) {
  const Task& task = operation.task;
  if (!operation.place.settings.enabled) {
    return Error{ErrorCode::kRefused, "context_preservation.enabled is false in the settings",
                 "belay snapshot take keeps the work of a worktree"};
  }
  const Result<Worker> named = ResolveWorker(env, operation.place.project, request.worker);
  if (!named && (request.worker || named.error().code != ErrorCode::kUsage)) return named.error();
  const Worker worker = named ? *named : Worker{task.owner};
  BELAY_TRY(CheckSuspendable(task, worker.owner()));
  BELAY_TRY_ASSIGN(const WorkerState state, FindWorker(env, worker.name));
  BELAY_TRY(CheckStopped(env, state, "suspend its task"));
  BELAY_TRY_ASSIGN(const std::string worktree, WorktreeOfWork(env, operation, request, state));
  BELAY_TRY_ASSIGN(SnapshotPlace at,
                   PlaceOfWork(env, operation.place.project, worktree, worker.name));
  BELAY_TRY(CheckWorktree(env, operation, request, at.repository));
  const std::string id = state.identity ? state.identity->id.text() : worker.name;
  return Suspension{operation, request, id, std::move(at), env.clock.Wall()};
}

}  // namespace

Result<SuspendTaskOutcome> SuspendTask(Env& env, const SuspendTaskRequest& request) {
  BELAY_TRY_ASSIGN(const std::unique_ptr<TaskOperation> operation,
                   TaskOperation::Begin(env, request.id));
  const TaskPlace& place = operation->place;
  const Task& task = operation->task;
  BELAY_TRY_ASSIGN(const Suspension suspension, PrepareSuspension(env, *operation, request));
  // Of an earlier suspension, whose record is about to be replaced.
  if (task.work.restored) DropStashEntry(env, place.project, task.id, task.work.snapshot);
  BELAY_TRY_ASSIGN(Described described, StoreOrDescribe(env, suspension));
  BELAY_TRY_ASSIGN(const Task suspended, StoreSuspension(env, suspension, described));
  std::optional<StoredWork> work;
  if (described.snapshot) work = StoredWork{suspension.at, *std::move(described.snapshot)};
  Result<SuspendTaskOutcome> outcome =
      FinishSuspension(env, place, operation->tasks, operation->arcs, suspended, work);
  RenderTasks(env, operation->tasks);
  return outcome;
}

}  // namespace belay
