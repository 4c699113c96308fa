#include "app/task_list.h"

#include <fmt/core.h>

#include <algorithm>

#include "adapters/git/stash.h"
#include "app/session_place.h"
#include "app/settings.h"
#include "app/snapshots.h"
#include "app/taint.h"
#include "app/task_worker.h"
#include "base/path.h"
#include "ledger/identity_ledger.h"
#include "ledger/ledger_journal.h"
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
    return CannotClaim(task, fmt::format("is {}", TaskStatusName(task.status)), "");
  }
  if (task.suspended) {
    return CannotClaim(task, "is suspended", fmt::format("belay task resume {}", id));
  }
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

void RenderTasks(Env& env, const Layout& project) {
  const Result<void> rendered = OwnTasks(env.files, env.clock, project).Render();
  if (!rendered) {
    env.say(
        fmt::format("recorded, but tasks.json is not up to date: {}", rendered.error().message));
  }
}

Task NewTask(const AddTaskRequest& request, TaskId id, WallTime now) {
  Task task{.id = std::move(id), .title = request.title, .description = request.description};
  task.files = request.files.empty() ? FileOwnership(request.description) : request.files;
  task.depends_on = request.after;
  task.arc = request.arc;
  task.wave = request.wave;
  task.deadline = request.deadline;
  task.run = RunName(now);
  return task;
}

}  // namespace

Result<TaskBook> OwnTasks::Read() {
  BELAY_TRY(ledger_.CatchUp());
  return ledger_.book();
}

Result<Task> OwnTasks::Change(const TaskId& id, std::string_view why, const Edit& edit) {
  BELAY_TRY_ASSIGN(const TaskLock lock, TaskLedger::Lock(files_, project_));
  return ledger_.Change(lock, id.text(), why,
                        [&](Task& task) { return edit(task, ledger_.book()); });
}

Result<void> OwnTasks::Render() {
  BELAY_TRY_ASSIGN(const TaskLock lock, TaskLedger::Lock(files_, project_));
  return ledger_.Render(lock);
}

Result<TaskPlace> FindTaskPlace(Env& env, VaultUse use, TaskMistakes mistakes) {
  BELAY_TRY_ASSIGN(Layout project, OpenProject(env, use));
  const Result<std::vector<ConfigSource>> sources = ConfigSources(env, project);
  const Result<Config> config =
      sources ? Accept(ReadConfig(*sources)) : Result<Config>(sources.error());
  if (config) return TaskPlace{std::move(project), ReadTaskContextSettings(*config)};
  // The user just typed --config, so a mistake in it is an error.
  if (mistakes == TaskMistakes::kRefuse || env.config) return config.error();
  env.say(fmt::format("{}; the defaults are used", config.error().message));
  return TaskPlace{std::move(project), TaskContextSettings()};
}

Result<Task> AddTask(Env& env, const AddTaskRequest& request) {
  BELAY_TRY_ASSIGN(const Layout project, OpenProject(env, VaultUse::kWrite));
  TaskLedger ledger(env.files, env.clock, project);
  BELAY_TRY_ASSIGN(const TaskLock lock, TaskLedger::Lock(env.files, project));
  BELAY_TRY(ledger.CatchUp());
  TaskId id = request.id ? *request.id : *TaskId::Parse(ledger.book().NextId());
  BELAY_TRY_ASSIGN(Task task,
                   ledger.Add(lock, NewTask(request, std::move(id), env.clock.Wall()), "added"));
  if (const Result<void> rendered = ledger.Render(lock); !rendered) {
    env.say(
        fmt::format("recorded, but tasks.json is not up to date: {}", rendered.error().message));
  }
  return task;
}

std::vector<TaskRow> TaskRows(const TaskBook& book) {
  std::vector<TaskRow> rows;
  rows.reserve(book.tasks().size());
  for (const auto& [id, task] : book.tasks()) {
    TaskRow row{.task = &task, .deadline = book.DeadlineOf(task)};
    if (!IsFinished(task.status)) {
      for (const Task* other : book.Waiting(task)) {
        row.waits_for.push_back(other->id.text());
        row.blocked = row.blocked || other->status == TaskStatus::kFailed;
      }
    }
    rows.push_back(std::move(row));
  }
  // The order of adding; ids of the same moment by name.
  std::ranges::stable_sort(rows, {}, [](const TaskRow& row) { return row.task->created_at; });
  return rows;
}

Result<TaskBook> ReadTasks(Env& env) {
  BELAY_TRY_ASSIGN(const Layout project, OpenProject(env, VaultUse::kRead));
  return OwnTasks(env.files, env.clock, project).Read();
}

Result<void> SetWaveDeadline(Env& env, const std::string& wave, WallTime deadline) {
  BELAY_TRY_ASSIGN(const Layout project, OpenProject(env, VaultUse::kWrite));
  TaskLedger ledger(env.files, env.clock, project);
  BELAY_TRY_ASSIGN(const TaskLock lock, TaskLedger::Lock(env.files, project));
  BELAY_TRY(ledger.SetWave(lock, wave, deadline));
  return ledger.Render(lock);
}

Result<ClaimTaskOutcome> ClaimTask(Env& env, const ClaimTaskRequest& request) {
  BELAY_TRY_ASSIGN(const Layout project, OpenProject(env, VaultUse::kWrite));
  BELAY_TRY_ASSIGN(const std::string worker, WorkerName(env, request.worker));
  const std::string owner = OwnerName(worker);
  OwnTasks tasks(env.files, env.clock, project);
  BELAY_TRY_ASSIGN(const TaskBook book, tasks.Read());
  const Task* now = book.Find(request.id.text());
  if (now == nullptr) return NoSuchTask(book, request.id.text());
  BELAY_TRY(CheckClaim(*now, book, owner));
  BELAY_TRY(PassTaintOn(env, project, *now, worker, request.session));
  ClaimTaskOutcome outcome{.task = *now};
  BELAY_TRY_ASSIGN(outcome.task, tasks.Change(request.id, fmt::format("claimed by {}", owner),
                                              [&](Task& task, const TaskBook& all) -> Result<void> {
                                                BELAY_TRY(CheckClaim(task, all, owner));
                                                task.status = TaskStatus::kInProgress;
                                                task.owner = owner;
                                                if (request.session) return {};
                                                outcome.acknowledged = task.resuming;
                                                task.resuming = false;
                                                return {};
                                              }));
  if (IsAcknowledged(outcome.task)) DropStashEntry(env, project, outcome.task);
  RenderTasks(env, project);
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
  if (IsAcknowledged(task)) DropStashEntry(env, project, task);
  RenderTasks(env, project);
  return {};
}

namespace {

Result<void> CheckFinish(const Task& task, const std::optional<std::string>& owner) {
  const std::string& id = task.id.text();
  if (task.suspended) {
    return CannotClaim(task, "is suspended, and its work isn't in its worktree",
                       fmt::format("belay task resume {}, then finish it", id));
  }
  if (task.status != TaskStatus::kInProgress && task.status != TaskStatus::kCompleted) {
    return CannotClaim(task, fmt::format("is {}", TaskStatusName(task.status)),
                       task.status == TaskStatus::kPending
                           ? fmt::format("belay task claim {} takes it", id)
                           : std::string());
  }
  if (owner && *owner != task.owner) {
    return CannotClaim(task, fmt::format("belongs to {}", task.owner),
                       "leave --worker out to finish it for its owner");
  }
  return {};
}

// Work that isn't committed stays in the tree, and isn't part of the finished task for git.
void AddUncommitted(Env& env, const Layout& project, FinishTaskOutcome& outcome) {
  const Result<WorkerState> worker = FindWorker(env, outcome.task.owner);
  if (!worker) return;
  outcome.worktree = WorktreeOf(env, project, *worker);
  const Git git(env.programs, env.environment, outcome.worktree);
  if (auto files = UncommittedFiles(git)) outcome.uncommitted = *std::move(files);
}

}  // namespace

Result<FinishTaskOutcome> FinishTask(Env& env, const FinishTaskRequest& request) {
  BELAY_TRY_ASSIGN(const Layout project, OpenProject(env, VaultUse::kWrite));
  std::optional<std::string> owner;
  if (request.worker) {
    BELAY_TRY_ASSIGN(const std::string worker, WorkerName(env, request.worker));
    owner = OwnerName(worker);
  }
  OwnTasks tasks(env.files, env.clock, project);
  const auto finish = [&](Task& task, const TaskBook&) -> Result<void> {
    BELAY_TRY(CheckFinish(task, owner));
    task.status = TaskStatus::kCompleted;
    task.resuming = false;
    return {};
  };
  BELAY_TRY_ASSIGN(Task done, tasks.Change(request.id, "done", finish));
  FinishTaskOutcome outcome{.task = std::move(done)};
  if (IsAcknowledged(outcome.task)) DropStashEntry(env, project, outcome.task);
  RenderTasks(env, project);
  AddUncommitted(env, project, outcome);
  return outcome;
}

Result<void> ReleaseTask(Env& env, const TaskId& id, const std::string& owner,
                         std::string_view why) {
  BELAY_TRY_ASSIGN(const Layout project, OpenProject(env, VaultUse::kWrite));
  OwnTasks tasks(env.files, env.clock, project);
  BELAY_TRY(tasks.Change(id, why, [&](Task& task, const TaskBook&) {
    const bool still = task.status == TaskStatus::kInProgress && task.owner == owner;
    if (!still || task.suspended) return Result<void>();
    task.status = TaskStatus::kPending;
    task.owner.clear();
    return Result<void>();
  }));
  RenderTasks(env, project);
  return {};
}

Result<StateLock> LockStash(Env& env, const Layout& project) {
  constexpr Duration kStashPatience = std::chrono::seconds(5);
  return LockJournalUnchecked(env.files, project, "stash", kStashPatience);
}

void DropStashEntry(Env& env, const Layout& project, const Task& task) {
  const Result<ObjectId> commit = ObjectId::Parse(task.work.snapshot);
  if (!commit || commit->IsNone()) return;
  const Git git(env.programs, env.environment, project.Root());
  const auto drop = [&]() -> Result<void> {
    const std::string common(ParentPath(project.Vault()));
    BELAY_TRY_ASSIGN(const std::set<ObjectId> there, StashedCommits(git, env.files, common));
    if (!there.contains(*commit)) return {};
    BELAY_TRY_ASSIGN(const StateLock lock, LockStash(env, project));
    BELAY_TRY(DropStash(git, *commit));
    return {};
  };
  if (const Result<void> dropped = drop(); !dropped) {
    env.say(fmt::format("the stash entry of task {} stays: {}", task.id.text(),
                        dropped.error().message));
  }
}

}  // namespace belay
