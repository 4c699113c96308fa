#include "merge/protect.h"

#include <fmt/core.h>

#include <optional>

#include "adapters/git/branch_uses.h"
#include "adapters/git/local_programs.h"
#include "base/path.h"
#include "base/text.h"
#include "base/utf8.h"
#include "merge/entry_refs.h"
#include "merge/target_branch.h"
#include "store/durable_file.h"

namespace belay {
namespace {

constexpr std::string_view kName = "reference-transaction";
constexpr std::string_view kAside = "reference-transaction.before-belay";
constexpr std::uint32_t kScriptMode = 0755;
constexpr std::size_t kMostScript = std::size_t{1} << 20U;

constexpr std::string_view kStart =
    "#!/bin/sh\n"
    "# By belay merge-queue protect: asks belay before a protected branch moves.\n";
constexpr std::string_view kRepository = "# repository: ";

// PPID is the calling git.
constexpr std::string_view kRest = R"sh(before=$0.before-belay
if [ "$1" != prepared ]; then
  [ -x "$before" ] && exec "$before" "$@"
  exit 0
fi
[ -x "$belay" ] || belay=belay
if [ -x "$before" ]; then
  lines=$(cat; echo .)
  lines=${lines%.}
  printf %s "$lines" | "$before" "$@" || exit $?
fi
if ! command -v "$belay" >/dev/null; then
  echo "belay isn't there, so nothing guards this repository's branches: see $0" >&2
  exit 0
fi
if [ -x "$before" ]; then
  printf %s "$lines" | "$belay" ref-guard --no-color "$PPID"
else
  "$belay" ref-guard --no-color "$PPID"
fi
[ $? -ne 4 ]
)sh";

std::string PathOf(const GuardHook& hook) { return JoinPath(hook.folder, kName); }
std::string AsideOf(const GuardHook& hook) { return JoinPath(hook.folder, kAside); }

// The present hooks.
struct Found {
  std::optional<FileInfo> info = {};
  std::string text = {};
  bool ours = false;
  bool aside = false;

  std::set<std::string> Repositories() const {
    std::set<std::string> names;
    if (!ours) return names;
    for (const std::string_view line : Split(text, '\n')) {
      if (line.starts_with(kRepository)) names.emplace(line.substr(kRepository.size()));
    }
    return names;
  }
};

Result<Found> FindHooks(const FileSystem& files, const GuardHook& hook) {
  Found found;
  BELAY_TRY_ASSIGN(found.info, IfThere(files.Inspect(PathOf(hook))));
  BELAY_TRY_ASSIGN(const std::optional<FileInfo> aside, IfThere(files.Inspect(AsideOf(hook))));
  found.aside = aside.has_value();
  if (!found.info || found.info->kind != FileKind::kFile || found.info->bytes > kMostScript) {
    return found;
  }
  BELAY_TRY_ASSIGN(found.text, files.Read(PathOf(hook), kMostScript));
  found.ours = found.text.starts_with(kStart);
  return found;
}

Result<void> MoveAside(FileSystem& files, const GuardHook& hook, const Found& found) {
  if (found.info->kind != FileKind::kFile && found.info->kind != FileKind::kLink) {
    return Error{ErrorCode::kRefused, fmt::format("{} is not a regular file", PathOf(hook)),
                 "move it away"};
  }
  if (found.aside) {
    return Error{
        ErrorCode::kRefused,
        fmt::format("{} was replaced, and {} still exists", PathOf(hook), kAside),
        "keep one of the two under the first name and move the other away, then try again"};
  }
  BELAY_TRY(files.RenameNew(PathOf(hook), AsideOf(hook)));
  return files.SyncFolder(hook.folder);
}

Result<void> WriteScript(FileSystem& files, const GuardHook& hook,
                         const std::set<std::string>& repositories) {
  BELAY_TRY(
      ReplaceFile(files, PathOf(hook), GuardHookText(hook.program, repositories), kScriptMode));
  BELAY_TRY_ASSIGN(const FileInfo info, files.Inspect(PathOf(hook)));
  if (info.IsExecutable()) return {};
  BELAY_TRY_ASSIGN(File file, files.OpenForReading(PathOf(hook)));
  return file.SetMode(kScriptMode);
}

}  // namespace

std::string GuardHookText(std::string_view program, const std::set<std::string>& repositories) {
  std::string text(kStart);
  text += "# A guard rail, not a security boundary. belay merge-queue unprotect removes it.\n";
  for (const std::string& repository : repositories) {
    text += fmt::format("{}{}\n", kRepository, repository);
  }
  text += fmt::format("belay={}\n", ShellQuoted(program));
  return text += kRest;
}

Result<HookChange> InstallGuardHook(FileSystem& files, const GuardHook& hook) {
  if (hook.repository.find('\n') != std::string::npos) {
    return Error{ErrorCode::kRefused,
                 fmt::format("{} has a line break in its name", Quote(hook.repository))};
  }
  BELAY_TRY(EnsureFolder(files, hook.folder, kSharedFolder));
  BELAY_TRY(RemoveLeftoversOf(files, PathOf(hook)));
  BELAY_TRY_ASSIGN(const Found found, FindHooks(files, hook));
  std::set<std::string> repositories = found.Repositories();
  repositories.insert(hook.repository);
  const bool same = found.ours && found.info->IsExecutable() &&
                    found.text == GuardHookText(hook.program, repositories);
  if (same) return HookChange::kUnchanged;
  if (found.info && !found.ours) BELAY_TRY(MoveAside(files, hook, found));
  BELAY_TRY(WriteScript(files, hook, repositories));
  const bool chained = found.aside || (found.info && !found.ours);
  return chained ? HookChange::kChained : HookChange::kInstalled;
}

Result<HookChange> RemoveGuardHook(FileSystem& files, const GuardHook& hook) {
  BELAY_TRY(RemoveLeftoversOf(files, PathOf(hook)));
  BELAY_TRY_ASSIGN(const Found found, FindHooks(files, hook));
  if (found.info && !found.ours) {
    return found.aside ? HookChange::kLeft : HookChange::kUnchanged;
  }
  if (!found.info && !found.aside) return HookChange::kUnchanged;
  std::set<std::string> others = found.Repositories();
  others.erase(hook.repository);
  if (!others.empty()) {
    BELAY_TRY(WriteScript(files, hook, others));
    return HookChange::kLeft;
  }
  if (found.aside) {
    BELAY_TRY(files.Rename(AsideOf(hook), PathOf(hook)));
  } else {
    BELAY_TRY(files.RemoveFile(PathOf(hook)));
  }
  BELAY_TRY(files.SyncFolder(hook.folder));
  return found.aside ? HookChange::kPutBack : HookChange::kRemoved;
}

Result<bool> IsGuardHookInForce(const FileSystem& files, const GuardHook& hook) {
  BELAY_TRY_ASSIGN(const Found found, FindHooks(files, hook));
  return found.ours && found.info->IsExecutable() && found.Repositories().contains(hook.repository);
}

namespace {

constexpr std::size_t kMostRefs = std::size_t{1} << 20U;

GuardHook HookIn(const GuardPlace& place, const std::string& folder) {
  return {folder, place.program, place.common_folder};
}

bool IsBelow(const std::string& path, const std::string& folder) {
  return path.starts_with(folder + "/");
}

// The hook folders of all worktrees, since a relative core.hooksPath means another one in each;
// belay's own worktrees, in the vault, call git without hooks. A worktree in which git can't work,
// because its folder is lost or its HEAD broken, can't move anything either: it is left out, and
// listed in `left`.
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

// Also where the hook was put if core.hooksPath was set since.
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
               fmt::format("git's hooks folder is {}, which is not a folder", folder),
               "git config core.hooksPath shows its path"};
}

// The guarded targets in the journal, with this one changed.
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
  if (tip.IsNone()) return NoTarget(place.git, target, false);
  Protection done;
  BELAY_TRY_ASSIGN(const std::set<std::string> folders, FoldersOfHooks(place, &done.left));
  BELAY_TRY_ASSIGN(const MergeLock lock, MergeLedger::Lock(place.files, place.project));
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
                     // So that the first move without the queue is noticed.
                     if (changed.commit.empty()) changed.commit = tip.text();
                   }));
  (void)ledger.Render(lock);
  return done;
}

Result<Protection> UnprotectTarget(const GuardPlace& place, MergeLedger& ledger,
                                   const std::string& target) {
  Protection done;
  BELAY_TRY_ASSIGN(const std::set<std::string> folders, FoldersToClear(place, &done.left));
  BELAY_TRY_ASSIGN(const MergeLock lock, MergeLedger::Lock(place.files, place.project));
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
  BELAY_TRY_ASSIGN(const MergeLock lock, MergeLedger::Lock(place.files, place.project));
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
  if (IsMissing(text)) return true;
  return text && IsIn(Split(*text, '\n'), BranchRef(target));
}

}  // namespace belay
