#include "app/task_cleanup.h"

#include <fmt/core.h>

#include <set>

#include "adapters/git/fields.h"
#include "adapters/git/stash.h"
#include "base/path.h"
#include "ledger/ledger_journal.h"
#include "ledger/signal_box.h"
#include "model/signal.h"
#include "snapshot/saved_snapshot.h"

namespace belay {
namespace {

// Held by belay while it changes the stash list.
Result<StateLock> LockStash(Env& env, const Layout& project) {
  constexpr Duration kStashPatience = std::chrono::seconds(5);
  return LockJournalUnchecked(env.files, project, "stash", kStashPatience);
}

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
                     FinishedSuspension& outcome) {
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
                          FinishedSuspension& outcome) {
  BELAY_TRY_ASSIGN(const std::optional<StoredWork> work, FindStoredWork(env, project, task));
  return work ? PutAway(env, task, *work, outcome) : Result<void>();
}

}  // namespace

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

Result<FinishedSuspension> FinishSuspension(Env& env, const TaskPlace& place, TaskSource& tasks,
                                            TaskArcs& arcs, const Task& task,
                                            const std::optional<StoredWork>& work) {
  FinishedSuspension outcome{.task = task};
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

void DropStashEntry(Env& env, const Layout& project, const TaskId& id,
                    const std::string& snapshot) {
  const Result<ObjectId> commit = ObjectId::Parse(snapshot);
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
    env.say(
        fmt::format("the stash entry of task {} stays: {}", id.text(), dropped.error().message));
  }
}

void DropIfAcknowledged(Env& env, const Layout& project, const Task& task) {
  if (IsAcknowledged(task)) DropStashEntry(env, project, task.id, task.work.snapshot);
}

}  // namespace belay
