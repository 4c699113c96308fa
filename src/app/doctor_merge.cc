#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "app/doctor_checks.h"
#include "app/merge_queue.h"
#include "app/settings.h"
#include "base/path.h"
#include "base/text.h"
#include "base/utf8.h"
#include "engine/merge/settings.h"
#include "ledger/merge_ledger.h"
#include "merge/checkout_move.h"
#include "merge/protect.h"
#include "merge/target_branch.h"
#include "store/repository.h"

namespace belay {
namespace {

constexpr auto kLong = std::chrono::seconds(5);       // it takes milliseconds
constexpr auto kLeftAfter = std::chrono::minutes(1);  // no git holds these so long
constexpr int kDeepest = 16;

// Files that end in .lock in one of git's folders and have been there for long.
// NOLINTNEXTLINE(misc-no-recursion): kDeepest at most.
void FindLeftLocks(const Env& env, const std::string& folder, int depth,
                   std::vector<std::string>& found) {
  const Result<std::vector<std::string>> names = env.files.List(folder);
  if (!names) return;
  for (const std::string& name : *names) {
    const std::string path = JoinPath(folder, name);
    const Result<FileInfo> info = env.files.Inspect(path);
    if (!info) continue;
    if (info->kind == FileKind::kFolder && depth > 0) {
      FindLeftLocks(env, path, depth - 1, found);
    }
    const WallTime written{std::chrono::nanoseconds(info->modified)};
    const bool left = env.clock.Wall() - written > kLeftAfter;
    if (info->kind == FileKind::kFile && left && name.ends_with(".lock")) found.push_back(path);
  }
}

std::string FixFor(const std::string& target) {
  return fmt::format("belay merge-queue protect --target {}", ShellQuoted(target));
}

Check Lost(const std::string& target, const std::string& what) {
  return {"protection", Verdict::kLacking, fmt::format("{} is protected, but {}", target, what),
          "git can move it directly; belay notices that only at the next belay merge-queue process",
          FixFor(target)};
}

std::vector<std::string> GuardedTargets(const MergeBook& book) {
  std::vector<std::string> names;
  for (const auto& [branch, target] : book.targets()) {
    if (target.guarded) names.push_back(branch);
  }
  return names;
}

}  // namespace

std::optional<Check> CheckInterruptedLanding(const Layout& project, const Env& env) {
  const Result<FileInfo> note = env.files.Inspect(project.CheckoutMoveNote());
  if (!note) return std::nullopt;
  const WallTime written{std::chrono::nanoseconds(note->modified)};
  if (env.clock.Wall() - written < kLong) return std::nullopt;
  return Check{"landing", Verdict::kBroken, "one was interrupted while it moved a checkout",
               "git refuses to work in that checkout: its index is locked",
               "belay doctor --repair, or belay merge-queue process"};
}

std::optional<Check> CheckLeftLocks(const Layout& project, const Env& env) {
  const Result<Repository> repository = FindRepository(env.files, project.Root());
  if (!repository) return std::nullopt;
  std::vector<std::string> found;
  FindLeftLocks(env, repository->common_folder, 0, found);
  FindLeftLocks(env, JoinPath(repository->common_folder, "refs/heads"), kDeepest, found);
  if (found.empty()) return std::nullopt;
  const std::string all =
      Join(found, ", ", [&](const std::string& path) { return RelativeTo(project.Root(), path); });
  return Check{"git locks", Verdict::kBroken, all,
               "git refuses to commit or move a branch, and nothing lands",
               "if no git process is running in this repository, remove them: a killed git left "
               "them behind"};
}

std::optional<Check> CheckGates(const Layout& project, const Env& env) {
  if (WhyNothingLands(env, project).empty()) return std::nullopt;
  MergeLedger ledger(env.files, env.clock, project);
  if (!ledger.CatchUp()) return std::nullopt;  // which is a finding of its own
  const auto waiting = std::ranges::count_if(
      ledger.book().entries(), [](const auto& one) { return IsInQueue(one.second.status); });
  if (waiting == 0) return std::nullopt;
  return Check{"merge gates", Verdict::kLacking,
               fmt::format("none configured, and {} {} in the queue", waiting,
                           waiting == 1 ? "entry waits" : "entries wait"),
               "nothing lands: belay doesn't land untested work",
               "set merge.gates in .claude/belay.yml, or run belay merge-queue process --no-gates"};
}

std::optional<Check> CheckTargetBranch(const Layout& project, const Env& env) {
  const Result<ConfigRead> config = ReadConfigHere(env);
  if (!config || !config->outcome.problems.empty()) return std::nullopt;
  const std::string target = ReadMergeSettings(config->outcome.config).target;
  const Result<TargetBranch> found =
      InspectTargetBranch(Git(env.programs, env.environment, project.Root()), target);
  if (!found || found->exists) return std::nullopt;
  return Check{"merge target", Verdict::kLacking, fmt::format("no branch {}", Quote(target)),
               "work can't be queued without naming a target", TargetHint(*found)};
}

std::optional<Repair> FinishInterruptedLanding(const Layout& project, Env& env) {
  const Result<Repository> repository = FindRepository(env.files, project.Root());
  if (!repository || !IsMoveUnfinished(env.files, project)) return std::nullopt;
  const Git git(env.programs, env.environment, project.Root());
  const Result<std::string> ended =
      FinishInterruptedMove({env.files, git, project, repository->common_folder});
  Repair repair{.path = std::string(RelativeTo(project.Root(), project.CheckoutMoveNote())),
                .what = ended ? *ended : ended.error().message};
  if (!ended) repair.failure = ended.error().code;
  if (!ended) repair.hint = ended.error().hint;
  if (repair.what.empty()) repair.what = "removed what an interrupted landing left";
  return repair;
}

std::optional<Check> CheckProtection(const Layout& project, const Env& env) {
  MergeLedger ledger(env.files, env.clock, project);
  if (!ledger.CatchUp()) return std::nullopt;
  const std::vector<std::string> targets = GuardedTargets(ledger.book());
  if (targets.empty()) return std::nullopt;
  const Result<Repository> repository = FindRepository(env.files, project.Root());
  if (!repository) return Lost(targets.front(), repository.error().message);
  const Git git(env.programs, env.environment, project.Root());
  const GuardPlace place{env.files, project, git, repository->common_folder};
  const Result<std::vector<std::string>> unguarded = UnguardedFolders(place);
  if (!unguarded) return Lost(targets.front(), unguarded.error().message);
  if (!unguarded->empty()) {
    return Lost(targets.front(),
                fmt::format("belay's reference-transaction hook isn't in {}", unguarded->front()));
  }
  for (const std::string& target : targets) {
    if (!IsGuardedRef(place, target)) return Lost(target, "its hook doesn't list the target");
  }
  return Check{"protection", Verdict::kFine, Join(targets, ", ")};
}

}  // namespace belay
