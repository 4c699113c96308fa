#include "merge/protect.h"

#include <fmt/core.h>

#include <set>

#include "adapters/git/branch_uses.h"
#include "adapters/git/hooks_folder.h"
#include "base/path.h"
#include "merge/entry_refs.h"
#include "store/durable_file.h"

namespace belay {
namespace {

bool IsBelow(const std::string& path, const std::string& folder) {
  return path.starts_with(folder + "/");
}

// Of every worktree, since a relative core.hooksPath means another one in each; belay's own
// worktrees, in the vault, call git without hooks.
Result<std::set<std::string>> FoldersOfHooks(const MergeDoors& doors) {
  std::set<std::string> folders;
  BELAY_TRY_ASSIGN(const std::vector<GitWorktree> worktrees,
                   ListWorktrees(doors.git, doors.files, doors.common_folder));
  for (const GitWorktree& worktree : worktrees) {
    const bool passed = worktree.is_prunable || IsBelow(worktree.folder, doors.project.Vault());
    if (passed) continue;
    BELAY_TRY_ASSIGN(const std::string folder, HooksFolder(doors.git.In(worktree.folder)));
    const Result<std::string> real = doors.files.Resolve(folder);
    folders.insert(real ? *real : folder);
  }
  return folders;
}

Result<void> CheckIsUsable(const MergeDoors& doors, const std::string& folder) {
  const Result<FileInfo> info = doors.files.Inspect(folder);
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

Result<void> WriteGuardedRefs(const MergeDoors& doors, const std::set<std::string>& refs) {
  std::string text;
  for (const std::string& ref : refs) text += ref + "\n";
  BELAY_TRY(EnsureFolder(doors.files, doors.project.MergeFolder()));
  BELAY_TRY(RemoveLeftoversOf(doors.files, doors.project.GuardedRefs()));
  return ReplaceFile(doors.files, doors.project.GuardedRefs(), text);
}

}  // namespace

Result<Protection> ProtectTarget(const MergeDoors& doors, MergeLedger& ledger,
                                 const std::string& target, const std::string& program) {
  BELAY_TRY_ASSIGN(const ObjectId tip, BranchTip(doors, target));
  if (tip.IsNone()) {
    return Error{ErrorCode::kNotFound, fmt::format("there is no branch {}", target),
                 "merge.target in .claude/belay.yml, or --target, says which one is meant"};
  }
  BELAY_TRY_ASSIGN(const std::set<std::string> folders, FoldersOfHooks(doors));
  BELAY_TRY_ASSIGN(const StateLock lock, MergeLedger::Lock(doors.files, doors.project));
  BELAY_TRY(ledger.CatchUp());
  Protection done;
  for (const std::string& folder : folders) {
    BELAY_TRY(CheckIsUsable(doors, folder));
    BELAY_TRY_ASSIGN(const HookChange change,
                     InstallGuardHook(doors.files, {folder, program, doors.common_folder}));
    done.places.push_back({folder, change});
  }
  BELAY_TRY(WriteGuardedRefs(doors, GuardedOnes(ledger.book(), target, true)));
  BELAY_TRY_ASSIGN(done.target,
                   ledger.ChangeTarget(lock, target, "protected", [&](MergeTarget& changed) {
                     changed.guarded = true;
                     // So that the first move without the queue is noticed already.
                     if (changed.commit.empty()) changed.commit = tip.text();
                   }));
  (void)ledger.Render(lock);
  return done;
}

Result<Protection> UnprotectTarget(const MergeDoors& doors, MergeLedger& ledger,
                                   const std::string& target, const std::string& program) {
  BELAY_TRY_ASSIGN(std::set<std::string> folders, FoldersOfHooks(doors));
  // Where it was put if core.hooksPath was set since.
  folders.insert(JoinPath(doors.common_folder, "hooks"));
  BELAY_TRY_ASSIGN(const StateLock lock, MergeLedger::Lock(doors.files, doors.project));
  Protection done;
  BELAY_TRY_ASSIGN(done.target,
                   ledger.ChangeTarget(lock, target, "no longer protected",
                                       [](MergeTarget& changed) { changed.guarded = false; }));
  const std::set<std::string> left = GuardedOnes(ledger.book(), target, false);
  BELAY_TRY(WriteGuardedRefs(doors, left));
  (void)ledger.Render(lock);
  if (!left.empty()) return done;
  for (const std::string& folder : folders) {
    BELAY_TRY_ASSIGN(const HookChange change,
                     RemoveGuardHook(doors.files, {folder, program, doors.common_folder}));
    done.places.push_back({folder, change});
  }
  return done;
}

}  // namespace belay
