#include "app/task_claim.h"

#include <fmt/core.h>

#include "adapters/git/fields.h"
#include "app/agent_worktree.h"
#include "app/settings.h"
#include "app/taint.h"
#include "app/task_cleanup.h"
#include "app/task_worker.h"
#include "ledger/identity_ledger.h"
#include "ledger/taint_ledger.h"

namespace belay {
namespace {

Error CannotClaim(const Task& task, std::string_view why, std::string hint) {
  return {ErrorCode::kRefused, fmt::format("task {} {}", task.id.text(), why), std::move(hint)};
}

// Why a pending or running task can't be claimed by `owner`.
Result<void> CheckClaim(const Task& task, const TaskBook& all, const std::string& owner) {
  const std::string& id = task.id.text();
  if (IsFinished(task.status)) {
    return CannotClaim(task, fmt::format("is {}", TaskStatusName(task.status)),
                       HowToContinue(task));
  }
  if (task.suspended) return CannotClaim(task, "is suspended", HowToContinue(task));
  if (task.status == TaskStatus::kInProgress && task.owner != owner) {
    return CannotClaim(task, fmt::format("belongs to {}", task.owner),
                       fmt::format("belay task list shows those that are pending; if that worker "
                                   "has ended, belay task suspend {} saves its work",
                                   id));
  }
  for (const Task* other : all.Waiting(task)) {
    const bool failed = other->status == TaskStatus::kFailed;
    return CannotClaim(task,
                       fmt::format("waits for {}, which {}", other->id.text(),
                                   failed ? "has failed" : "isn't completed"),
                       fmt::format("belay task list shows {}", other->id.text()));
  }
  return {};
}

// The session that `worker` works in, if it is an agent on record; else the manual one.
TaintSession SessionOf(const Env& env, const Layout& project, const IdentityBook& book,
                       const std::string& worker) {
  const Result<TaintSession> named = FindTaintSession(env, project, book, worker);
  return named ? *named : TaintSession{std::string(kManualSession)};
}

// A context written by a tainted worker makes its resumer tainted, before it is its resumer.
Result<void> PassTaintOn(Env& env, const Layout& project, const Task& task,
                         const std::string& worker, const std::optional<std::string>& next) {
  if (!task.resuming || !task.work.tainted) return {};
  if (next) {
    TaintLedger taints(env.files, env.clock, project);
    BELAY_TRY_ASSIGN(const TaintLock lock, TaintLedger::Lock(env.files, project));
    BELAY_TRY(taints.Mark(lock, *next,
                          {.path = task.context_path,
                           .tool = "task",
                           .at = env.clock.Wall(),
                           .session = task.work.worker}));
    return {};
  }
  IdentityLedger identities(env.files, env.clock, project);
  BELAY_TRY(identities.CatchUp());
  const TaintSession session = SessionOf(env, project, identities.book(), worker);
  BELAY_TRY(MarkTaint(
      env, {.agent = session.name,
            .source = task.context_path.empty() ? "task " + task.id.text() : task.context_path,
            .tool = "task"}));
  return {};
}

// A resumed task whose work is in a tree.
bool HasWorkInTree(const Task& task) {
  return IsWaitingForResumer(task) && !task.work.worktree.empty() &&
         (task.work.restored || task.work.snapshot.empty());
}

Result<std::string> WorktreeOfClaim(const Env& env, const Layout& project, const Task& task,
                                    const Worker& worker, const ClaimTaskRequest& request) {
  if (!project.InRepository()) return std::string();
  const auto exists = [&](const std::string& path) { return env.files.Inspect(path).ok(); };
  const std::string agent_in = worker.identity ? worker.identity->worktree_path : std::string();
  if (request.worktree) {
    BELAY_TRY_ASSIGN(std::string named, FindAgentWorktree(env, project, *request.worktree));
    if (request.session || agent_in.empty() || named == agent_in) return named;
    return Error{ErrorCode::kRefused,
                 fmt::format("{} works in {}", worker.owner(), QuotePath(agent_in)),
                 "omit --worktree, or name another worker"};
  }
  if (!agent_in.empty()) return agent_in;
  const bool has_it = task.status == TaskStatus::kInProgress && task.owner == worker.owner();
  if (has_it && !task.worktree.empty() && exists(task.worktree)) return task.worktree;
  if (HasWorkInTree(task) && exists(task.work.worktree)) return task.work.worktree;
  return WorktreeHere(env, project);
}

// The worker must be where the resumed work is.
Result<void> CheckWorkIsThere(const Env& env, const Task& task, const std::string& worktree) {
  const std::string& there = task.work.worktree;
  if (!HasWorkInTree(task) || there == worktree) return {};
  if (IsMissing(env.files.Inspect(there))) {
    if (task.work.snapshot.empty()) return {};  // nothing is left of it
    return CannotClaim(
        task, fmt::format("has its work back in {}, which no longer exists", QuotePath(there)),
        fmt::format("belay task resume {} puts it into a worktree again", task.id.text()));
  }
  return CannotClaim(
      task,
      fmt::format("has its work back in {}, and not in {}", QuotePath(there), QuotePath(worktree)),
      fmt::format("a worker there claims it: belay spawn --worktree {} --task {}, or "
                  "--worktree for a worker by hand",
                  QuotePath(there), task.id.text()));
}

// The worktree that a task in progress leaves for `worktree`; empty: none.
std::string WorktreeLeft(const Task& task, const std::string& worktree) {
  const bool leaves = task.status == TaskStatus::kInProgress && task.worktree != worktree;
  return leaves ? task.worktree : std::string();
}

void SayLeft(Env& env, const Task& task, const std::string& left, bool gone) {
  const bool in_snapshot = gone && !task.work.snapshot.empty();
  const std::string what =
      in_snapshot ? fmt::format(
                        "which no longer exists; its work up to its last suspension is the "
                        "snapshot {}: belay snapshot restore {} --merge",
                        task.work.snapshot_id, task.work.snapshot_id)
      : gone ? std::string("which no longer exists")
             : std::string("what isn't committed there stays there");
  env.say(fmt::format("task {} was worked on in {}{} {}", task.id.text(), QuotePath(left),
                      gone ? "," : ";", what));
}

}  // namespace

Result<void> CheckClaimable(const TaskPlace& place, const TaskBook& book, const TaskId& id,
                            const IdentityName& worker) {
  const Task* known = book.Find(id.text());
  if (known == nullptr) return NoSuchTask(book, id.text());
  Task task = *known;
  if (task.suspended) {  // as after the resume
    if (task.resume_count >= place.settings.max_resume_count) {
      return CannotClaim(task,
                         fmt::format("was resumed {} times, and max_resume_count is {}",
                                     task.resume_count, place.settings.max_resume_count),
                         "a higher context_preservation.max_resume_count lets it continue");
    }
    task.suspended = false;
    task.status = TaskStatus::kPending;
  }
  return CheckClaim(task, book, worker.text());
}

Result<ClaimTaskOutcome> ClaimTask(Env& env, const ClaimTaskRequest& request) {
  BELAY_TRY_ASSIGN(const TaskPlace place,
                   FindTaskPlace(env, VaultUse::kWrite, TaskMistakes::kWarn));
  const Layout& project = place.project;
  Worker worker{request.session.value_or("")};
  if (!request.session) {
    BELAY_TRY_ASSIGN(worker, ResolveWorker(env, project, request.worker));
  }
  const std::string owner = worker.owner();
  OwnTasks tasks(env.files, env.clock, project);
  BELAY_TRY_ASSIGN(const TaskBook book, tasks.Read());
  const Task* now = book.Find(request.id.text());
  if (now == nullptr) return NoSuchTask(book, request.id.text());
  BELAY_TRY(CheckClaim(*now, book, owner));
  BELAY_TRY_ASSIGN(const std::string worktree,
                   WorktreeOfClaim(env, project, *now, worker, request));
  BELAY_TRY(CheckWorkIsThere(env, *now, worktree));
  BELAY_TRY(CheckFree(place, book, worktree, request.id));
  BELAY_TRY_ASSIGN(const StateLock lock, LockWorktree(env, project, worktree));
  BELAY_TRY(PassTaintOn(env, project, *now, worker.name, request.session));
  ClaimTaskOutcome outcome{.task = *now};
  const std::string left = WorktreeLeft(*now, worktree);
  const bool gone = !left.empty() && IsMissing(env.files.Inspect(left));
  const auto claim = [&](Task& task, const TaskBook& all) -> Result<void> {
    BELAY_TRY(CheckClaim(task, all, owner));
    BELAY_TRY(CheckWorkIsThere(env, task, worktree));
    BELAY_TRY(CheckFree(place, all, worktree, task.id));
    BELAY_TRY(CheckUnchanged(task, *now));  // its taint was passed on as it was then
    if (gone) LoseWorktree(task);
    const bool gets_it = task.status != TaskStatus::kInProgress || request.session;
    if (gets_it) task.missed_deadline = all.PassedDeadline(task, env.clock.Wall());
    task.status = TaskStatus::kInProgress;
    task.owner = owner;
    task.worktree = worktree;
    if (request.session) return {};
    outcome.acknowledged = task.resuming;
    task.resuming = false;
    return {};
  };
  BELAY_TRY_ASSIGN(outcome.task,
                   tasks.Change(request.id, fmt::format("claimed by {}", owner), claim));
  if (!left.empty()) SayLeft(env, outcome.task, left, gone);
  DropIfAcknowledged(env, project, outcome.task);
  RenderTasks(env, tasks);
  return outcome;
}

Result<void> AcknowledgeTask(Env& env, const Layout& project, const TaskId& id,
                             const IdentityName& worker) {
  OwnTasks tasks(env.files, env.clock, project);
  const auto waits = [&](const Task& task) {
    return task.resuming && task.status == TaskStatus::kInProgress && task.owner == worker.text();
  };
  BELAY_TRY_ASSIGN(const TaskBook book, tasks.Read());
  const Task* now = book.Find(id.text());
  if (now == nullptr || !waits(*now)) return {};
  BELAY_TRY_ASSIGN(const Task task, tasks.Change(id, "acknowledged: its session has started",
                                                 [&](Task& task, const TaskBook&) {
                                                   if (waits(task)) task.resuming = false;
                                                   return Result<void>();
                                                 }));
  DropIfAcknowledged(env, project, task);
  RenderTasks(env, tasks);
  return {};
}

Result<void> ReleaseTask(Env& env, const TaskId& id, const std::string& owner,
                         std::string_view why) {
  BELAY_TRY_ASSIGN(const Layout project, OpenProject(env, VaultUse::kWrite));
  OwnTasks tasks(env.files, env.clock, project);
  BELAY_TRY(tasks.Change(id, why, [&](Task& task, const TaskBook&) {
    const bool still = task.status == TaskStatus::kInProgress && task.owner == owner;
    if (still && !task.suspended) GiveBack(task);
    return Result<void>();
  }));
  RenderTasks(env, tasks);
  return {};
}

}  // namespace belay
