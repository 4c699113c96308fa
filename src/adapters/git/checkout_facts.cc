#include "adapters/git/checkout_facts.h"

#include <fmt/core.h>

#include "adapters/git/fields.h"
#include "adapters/git/status.h"
#include "base/path.h"
#include "base/utf8.h"

namespace belay {
namespace {

constexpr std::size_t kMostIndexBytes = std::size_t{1} << 30U;

struct Operation {
  std::string_view file;
  std::string_view name;
};
constexpr Operation kOperations[] = {
    {"MERGE_HEAD", "a merge"},          {"CHERRY_PICK_HEAD", "a cherry-pick"},
    {"REVERT_HEAD", "a revert"},        {"rebase-merge", "a rebase"},
    {"rebase-apply", "a rebase or am"}, {"sequencer", "a cherry-pick or revert"},
    {"BISECT_LOG", "a bisection"},
};

}  // namespace

// Git itself syncs neither the files that it checks out nor the index.
Result<GitAnswer> Checkout::Run(GitCall call) const {
  call.settings.emplace_back("core.fsync=none");
  for (const auto& [name, value] : environment) call.environment.emplace(name, value);
  return git.Run(call);
}

std::string OperationUnderWay(const FileSystem& files, const std::string& git_folder) {
  for (const Operation& operation : kOperations) {
    if (files.Inspect(JoinPath(git_folder, operation.file))) return std::string(operation.name);
  }
  return {};
}

Result<GitStatus> AskTrackedStatus(const Checkout& checkout) {
  BELAY_TRY_ASSIGN(const GitAnswer answer,
                   checkout.Run({.arguments = {"status", "--porcelain=v2", "-z", "--branch",
                                               "--no-ahead-behind", "--untracked-files=no",
                                               "--ignore-submodules=dirty", "--no-renames"}}));
  return ParseStatus(answer.out);
}

Result<PathChanges> ReadPathChanges(const Checkout& checkout, const ObjectId& from,
                                    const ObjectId& to) {
  BELAY_TRY_ASSIGN(
      const GitAnswer answer,
      checkout.Run({.arguments = {"diff-tree", "-r", "-z", "--no-renames",
                                  "--ignore-submodules=none", from.text(), to.text()}}));
  BELAY_TRY_ASSIGN(std::vector<TreeChange> compared, ParseTreeChanges(answer.out));
  PathChanges changes;
  for (TreeChange& change : compared) {
    std::string path = change.path;
    changes.emplace(std::move(path), std::move(change));
  }
  return changes;
}

Result<std::vector<PathNote>> OverlookedAmong(const Checkout& checkout, const PathChanges& changes,
                                              ObjectFormat format) {
  std::vector<PathNote> found;
  const auto index =
      checkout.files.Read(JoinPath(checkout.worktree.git_folder, "index"), kMostIndexBytes);
  if (!index && index.error().code == ErrorCode::kNotFound) return found;
  if (!index) return index.error();
  BELAY_TRY_ASSIGN(const auto overlooked, FindOverlooked(checkout.git, *index, format));
  for (const Overlooked& file : overlooked) {
    if (!changes.contains(file.path)) continue;
    if (!checkout.files.Inspect(JoinPath(checkout.worktree.folder, file.path))) continue;
    found.push_back({file.path, fmt::format("git is set to overlook {}", Quote(file.path))});
  }
  return found;
}

Result<std::vector<PathNote>> FilteredAmong(const Checkout& checkout, const PathChanges& changes,
                                            const LocalPrograms& programs) {
  std::vector<PathNote> found;
  if (programs.filters.empty()) return found;
  std::string paths;
  for (const auto& [path, change] : changes) {
    if (change.after.IsThere()) paths += path + '\0';
    if (FileName(path) != ".gitattributes") continue;
    found.push_back({path, "attributes change, and the repository's configuration has filters"});
  }
  BELAY_TRY_ASSIGN(const GitAnswer answer,
                   checkout.Run({.arguments = {"check-attr", "-z", "--stdin", "filter"},
                                 .input = InputOf(std::move(paths))}));
  Fields fields(answer.out, "check-attr");
  while (!fields.AtEnd()) {
    BELAY_TRY_ASSIGN(const std::string_view path, fields.PathUntilNul());
    BELAY_TRY(fields.Until('\0'));
    BELAY_TRY_ASSIGN(const std::string_view filter, fields.Until('\0'));
    if (!programs.filters.contains(filter)) continue;
    found.push_back(
        {std::string(path),
         fmt::format("{} has a filter from the repository's configuration", Quote(path))});
  }
  return found;
}

std::string WhyNotWritable(const Checkout& checkout, std::string_view path) {
  const std::string& top = checkout.worktree.folder;
  const auto whole = checkout.files.Inspect(top);
  for (std::string_view above = ParentPath(path);; above = ParentPath(above)) {
    const bool is_top = above == ".";
    const std::string folder = is_top ? top : JoinPath(top, above);
    const auto info = checkout.files.Inspect(folder);
    if (!is_top && (!info || info->kind != FileKind::kFolder)) continue;  // will be created
    if (!checkout.files.IsWritable(folder)) {
      return fmt::format("the folder {} isn't writable", Quote(folder));
    }
    if (whole && info && info->device != whole->device) {
      return fmt::format("the folder {} is on another file system", Quote(folder));
    }
    return {};
  }
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as the folder.
bool HoldsOnly(FilesThat which, const Checkout& checkout, const PathChanges& changes,
               const std::string& path) {
  const auto names = checkout.files.List(JoinPath(checkout.worktree.folder, path));
  if (!names) return false;
  for (const std::string& name : *names) {
    const std::string below = JoinPath(path, name);
    const auto info = checkout.files.Inspect(JoinPath(checkout.worktree.folder, below));
    if (info && info->kind == FileKind::kFolder) {
      if (!HoldsOnly(which, checkout, changes, below)) return false;
      continue;
    }
    const auto change = changes.find(below);
    if (change == changes.end()) return false;
    if (change->second.after.IsThere() != (which == FilesThat::kCome)) return false;
  }
  return true;
}

// Git would delete the folder of a removed submodule with everything in it: perhaps a repository of
// its own, with work that status doesn't show.
std::vector<PathNote> FullSubmodulesAmong(const Checkout& checkout, const PathChanges& changes) {
  std::vector<PathNote> found;
  for (const auto& [path, change] : changes) {
    const bool stays = change.after.mode == kSubmoduleMode;
    if (change.before.mode != kSubmoduleMode || stays) continue;
    const auto info = checkout.files.Inspect(JoinPath(checkout.worktree.folder, path));
    if (!info || info->kind != FileKind::kFolder) continue;
    if (HoldsOnly(FilesThat::kCome, checkout, changes, path)) continue;
    found.push_back({path, fmt::format("the submodule {} is removed, and its folder isn't empty: "
                                       "move its content away first, or git deletes it",
                                       Quote(path))});
  }
  return found;
}

std::string FileAbove(const Checkout& checkout, std::string_view path) {
  std::string highest;
  for (std::string_view above = ParentPath(path); above != "."; above = ParentPath(above)) {
    const auto info = checkout.files.Inspect(JoinPath(checkout.worktree.folder, above));
    if (info && info->kind != FileKind::kFolder) highest = above;
  }
  return highest;
}

}  // namespace belay
