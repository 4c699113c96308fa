#include "app/task_place.h"

#include <fmt/core.h>

#include <algorithm>

#include "adapters/git/fields.h"
#include "app/settings.h"
#include "codec/hash.h"
#include "ledger/ledger_journal.h"

namespace belay {
namespace {

constexpr Duration kTaskPatience = std::chrono::seconds(5);

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

void RenderTasks(Env& env, OwnTasks& tasks) {
  const Result<void> rendered = tasks.Render();
  if (rendered) return;
  env.say(fmt::format("recorded, but tasks.json is not up to date: {}", rendered.error().message));
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

Result<StateLock> LockTask(Env& env, const Layout& project, const TaskId& id, Duration limit) {
  return LockJournalUnchecked(env.files, project, "task-" + id.text(), limit);
}

Result<std::unique_ptr<TaskOperation>> TaskOperation::Begin(Env& env, const TaskId& id) {
  BELAY_TRY_ASSIGN(TaskPlace place, FindTaskPlace(env, VaultUse::kWrite, TaskMistakes::kWarn));
  BELAY_TRY_ASSIGN(StateLock lock, LockTask(env, place.project, id, kTaskPatience));
  std::unique_ptr<TaskOperation> begun(
      new TaskOperation(env, std::move(place), std::move(lock), id));
  BELAY_TRY_ASSIGN(begun->book, begun->tasks.Read());
  const Task* known = begun->book.Find(id.text());
  if (known == nullptr) return NoSuchTask(begun->book, id.text());
  begun->task = *known;
  return begun;
}

Result<SnapshotPlace> PlaceOfWork(Env& env, const Layout& project, const std::string& worktree,
                                  const std::string& worker) {
  Result<Repository> found = FindRepository(env.files, worktree);
  const bool ours = found && found->worktree == worktree &&
                    Layout(project.Root(), found->common_folder).Vault() == project.Vault();
  if (!ours) {
    return Error{ErrorCode::kNotFound,
                 fmt::format("{} is not a worktree of this repository", QuotePath(worktree)),
                 "git worktree list shows them"};
  }
  const Result<IdentityName> name = IdentityName::Parse(worker.substr(0, worker.find('#')));
  KeepName keep = name ? KeepName::OfAgent(*name) : KeepName::OfWorktree(*found);
  return DescribePlace(*std::move(found), std::move(keep), project, env);
}

std::string WorktreeHere(const Env& env, const Layout& project) {
  const Result<Repository> here = FindRepository(env.files, env.current_folder);
  const bool ours = here && Layout(project.Root(), here->common_folder).Vault() == project.Vault();
  return ours ? here->worktree : project.Root();
}

Result<StateLock> LockWorktree(Env& env, const Layout& project, const std::string& worktree) {
  constexpr std::size_t kEnough = 16;
  return LockJournalUnchecked(env.files, project,
                              "worktree-" + Sha256Hex(worktree).substr(0, kEnough), kTaskPatience);
}

Result<void> CheckFree(const TaskPlace& place, const TaskBook& book, const std::string& worktree,
                       const TaskId& id) {
  if (!place.CleansWorktrees() || worktree.empty()) return {};
  const Task* other = book.OccupantOf(worktree, id);
  if (other == nullptr) return {};
  const std::string name = other->id.text();
  if (other->work.cleaning) {
    return Error{ErrorCode::kRefused,
                 fmt::format("{} still has the work of task {}, which is suspended",
                             QuotePath(worktree), name),
                 "belay task sweep cleans it"};
  }
  const bool runs = other->status == TaskStatus::kInProgress && !other->suspended;
  return Error{
      ErrorCode::kRefused,
      fmt::format("{} has the work of task {}{}, and suspending one task takes all uncommitted "
                  "work of a worktree",
                  QuotePath(worktree), name, runs ? " of " + other->owner : ""),
      fmt::format("finish or suspend {} first, or give {} a worktree of its own: git worktree add, "
                  "then --worktree PATH, or belay spawn --task {} --new-worktree BRANCH",
                  name, id.text(), id.text())};
}

Result<void> CheckUnchanged(const Task& now, const Task& seen) {
  if (now == seen) return {};
  return Error{ErrorCode::kBusy, fmt::format("task {} has just changed", seen.id.text()),
               "try again"};
}

std::string HowToContinue(const Task& task) {
  const std::string& id = task.id.text();
  if (task.suspended) return fmt::format("belay task resume {} continues it", id);
  switch (task.status) {
    case TaskStatus::kPending:
      return fmt::format("belay task claim {} takes it", id);
    case TaskStatus::kInProgress:
      return {};
    case TaskStatus::kCompleted:
    case TaskStatus::kFailed:
      return fmt::format("belay task reopen {} lets it go on", id);
  }
  __builtin_unreachable();
}

Result<std::vector<SavedSnapshot>> KeptSnapshots(const Git& git, const Task& task) {
  if (task.kept.empty()) return std::vector<SavedSnapshot>();
  BELAY_TRY_ASSIGN(std::vector<SavedSnapshot> all, ListSnapshots(git, std::nullopt));
  std::erase_if(all, [&](const SavedSnapshot& one) {
    return std::ranges::find(task.kept, one.commit.text()) == task.kept.end();
  });
  return all;
}

}  // namespace belay
