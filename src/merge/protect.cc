#include "merge/protect.h"

#include <fmt/core.h>

#include <set>

#include "adapters/git/branch_uses.h"
#include "adapters/git/hooks_folder.h"
#include "base/is_in.h"
#include "base/path.h"
#include "base/split.h"
#include "merge/entry_refs.h"
#include "store/durable_file.h"

namespace belay {
namespace {

constexpr std::size_t kMostRefs = std::size_t{1} << 20U;

GuardHook HookIn(const GuardPlace& place, const std::string& folder) {
  return {folder, place.program, place.common_folder};
}

bool IsBelow(const std::string& path, const std::string& folder) {
  return path.starts_with(folder + "/");
}

// Of every worktree, since a relative core.hooksPath means another one in each; belay's own
// worktrees, in the vault, call git without hooks. One in which git can't work, since its folder is
// lost or its HEAD broken, can't move anything either: it is left out, and `left` says so.
Result<std::set<std::string>> FoldersOfHooks(const GuardPlace& place,
                                             std::vector<std::string>* left = nullptr) {
  std::set<std::string> folders;
  BELAY_TRY_ASSIGN(const std::vector<GitWorktree> worktrees,
                   ListWorktrees(place.git, place.files, place.common_folder));
  for (const GitWorktree& worktree : worktrees) {
    const bool passed = worktree.is_prunable || IsBelow(worktree.folder, place.project.Vault());
    if (passed) continue;
    const Result<std::string> folder = HooksFolder(place.git.In(worktree.folder));
    if (!folder && worktree.is_main) return folder.error();
    if (!folder) {
      const std::string reason = fmt::format("{}: {}", worktree.folder, folder.error().message);
      if (left != nullptr) left->push_back(reason);
      continue;
    }
    const Result<std::string> real = place.files.Resolve(*folder);
    folders.insert(real ? *real : *folder);
  }
  return folders;
}

// Also where it was put if core.hooksPath was set since.
Result<std::set<std::string>> FoldersToClear(const GuardPlace& place,
                                             std::vector<std::string>* left = nullptr) {
  BELAY_TRY_ASSIGN(std::set<std::string> folders, FoldersOfHooks(place, left));
  folders.insert(JoinPath(place.common_folder, "hooks"));
  return folders;
}

Result<void> CheckIsUsable(const GuardPlace& place, const std::string& folder) {
  const Result<FileInfo> info = place.files.Inspect(folder);
  if (!info || info->kind == FileKind::kFolder) return {};
  return Error{ErrorCode::kRefused,
               fmt::format("git's folder of hooks is {}, which is no folder", folder),
               "git config core.hooksPath says where it is"};
}

// As the journal has it, with this one as it will be.
std::set<std::string> GuardedOnes(const MergeBook& book, const std::string& target, bool guarded) {
  std::set<std::string> refs;
  for (const auto& [branch, known] : book.targets()) {
    if (known.guarded && branch != target) refs.insert(BranchRef(branch));
  }
  if (guarded) refs.insert(BranchRef(target));
  return refs;
}

Result<void> WriteGuardedRefs(const GuardPlace& place, const std::set<std::string>& refs) {
  std::string text;
  for (const std::string& ref : refs) text += ref + "\n";
  BELAY_TRY(EnsureFolder(place.files, place.project.MergeFolder()));
  BELAY_TRY(RemoveLeftoversOf(place.files, place.project.GuardedRefs()));
  return ReplaceFile(place.files, place.project.GuardedRefs(), text);
}

}  // namespace

Result<Protection> ProtectTarget(const GuardPlace& place, MergeLedger& ledger,
                                 const std::string& target) {
  BELAY_TRY_ASSIGN(const ObjectId tip, BranchTip(place, target));
  if (tip.IsNone()) {
    return Error{ErrorCode::kNotFound, fmt::format("there is no branch {}", target),
                 "merge.target in .claude/belay.yml, or --target, says which one is meant"};
  }
  Protection done;
  BELAY_TRY_ASSIGN(const std::set<std::string> folders, FoldersOfHooks(place, &done.left));
  BELAY_TRY_ASSIGN(const StateLock lock, MergeLedger::Lock(place.files, place.project));
  BELAY_TRY(ledger.CatchUp());
  for (const std::string& folder : folders) {
    BELAY_TRY(CheckIsUsable(place, folder));
    BELAY_TRY_ASSIGN(const HookChange change, InstallGuardHook(place.files, HookIn(place, folder)));
    done.places.push_back({folder, change});
  }
  BELAY_TRY(WriteGuardedRefs(place, GuardedOnes(ledger.book(), target, true)));
  BELAY_TRY_ASSIGN(done.target,
                   ledger.ChangeTarget(lock, target, "protected", [&](MergeTarget& changed) {
                     changed.guarded = true;
                     // So that the first move without the queue is noticed already.
                     if (changed.commit.empty()) changed.commit = tip.text();
                   }));
  (void)ledger.Render(lock);
  return done;
}

Result<Protection> UnprotectTarget(const GuardPlace& place, MergeLedger& ledger,
                                   const std::string& target) {
  Protection done;
  BELAY_TRY_ASSIGN(const std::set<std::string> folders, FoldersToClear(place, &done.left));
  BELAY_TRY_ASSIGN(const StateLock lock, MergeLedger::Lock(place.files, place.project));
  BELAY_TRY_ASSIGN(done.target,
                   ledger.ChangeTarget(lock, target, "no longer protected",
                                       [](MergeTarget& changed) { changed.guarded = false; }));
  const std::set<std::string> left = GuardedOnes(ledger.book(), target, false);
  BELAY_TRY(WriteGuardedRefs(place, left));
  (void)ledger.Render(lock);
  if (!left.empty()) return done;
  for (const std::string& folder : folders) {
    BELAY_TRY_ASSIGN(const HookChange change, RemoveGuardHook(place.files, HookIn(place, folder)));
    done.places.push_back({folder, change});
  }
  return done;
}

Result<std::vector<HookRemoval>> UnprotectAll(const GuardPlace& place, MergeLedger& ledger) {
  BELAY_TRY_ASSIGN(const std::set<std::string> folders, FoldersToClear(place));
  BELAY_TRY_ASSIGN(const StateLock lock, MergeLedger::Lock(place.files, place.project));
  BELAY_TRY(ledger.CatchUp());
  const auto targets = ledger.book().targets();
  for (const auto& [branch, target] : targets) {
    BELAY_TRY(ledger.ChangeTarget(lock, branch, "no longer protected",
                                  [](MergeTarget& changed) { changed.guarded = false; }));
  }
  BELAY_TRY(WriteGuardedRefs(place, {}));
  (void)ledger.Render(lock);
  std::vector<HookRemoval> removals;
  for (const std::string& folder : folders) {
    removals.push_back({folder, RemoveGuardHook(place.files, HookIn(place, folder))});
  }
  return removals;
}

Result<std::vector<HookRemoval>> WouldUnprotect(const GuardPlace& place) {
  BELAY_TRY_ASSIGN(const std::set<std::string> folders, FoldersToClear(place));
  std::vector<HookRemoval> removals;
  for (const std::string& folder : folders) {
    const Result<bool> there = IsGuardHookInForce(place.files, HookIn(place, folder));
    if (there && *there) removals.push_back({folder, HookChange::kRemoved});
  }
  return removals;
}

Result<std::vector<std::string>> UnguardedFolders(const GuardPlace& place) {
  BELAY_TRY_ASSIGN(const std::set<std::string> folders, FoldersOfHooks(place));
  std::vector<std::string> unguarded;
  for (const std::string& folder : folders) {
    const Result<bool> guarded = IsGuardHookInForce(place.files, HookIn(place, folder));
    if (!guarded || !*guarded) unguarded.push_back(folder);
  }
  return unguarded;
}

bool IsGuardedRef(const GuardPlace& place, const std::string& target) {
  const Result<std::string> text = place.files.Read(place.project.GuardedRefs(), kMostRefs);
  if (!text && text.error().code == ErrorCode::kNotFound) return true;
  return text && IsIn(Split(*text, '\n'), BranchRef(target));
}

}  // namespace belay
