#include "adapters/git/follow_look.h"

#include <fmt/core.h>

#include <optional>
#include <set>
#include <span>

#include "adapters/git/fields.h"
#include "adapters/git/overlooked.h"
#include "adapters/git/status.h"
#include "base/path.h"
#include "base/utf8.h"

namespace belay {
namespace {

constexpr std::size_t kMostFile = std::size_t{1} << 30U;
constexpr std::size_t kMostIndex = std::size_t{1} << 30U;

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

using Changes = std::map<std::string, TreeChange, std::less<>>;

Error Refuse(std::string why) { return {ErrorCode::kRefused, std::move(why)}; }

Result<void> LookForOperations(const Checkout& checkout) {
  const std::string& folder = checkout.worktree.git_folder;
  if (checkout.files.Inspect(JoinPath(folder, "index.lock"))) {
    return Error{ErrorCode::kBusy, fmt::format("git is at work there, or was killed: {} exists",
                                               JoinPath(folder, "index.lock"))};
  }
  for (const Operation& operation : kOperations) {
    if (checkout.files.Inspect(JoinPath(folder, operation.file))) {
      return Refuse(fmt::format("{} is under way there", operation.name));
    }
  }
  return {};
}

Result<GitStatus> AskStatus(const Checkout& checkout) {
  BELAY_TRY_ASSIGN(const GitAnswer answer,
                   checkout.Run({.arguments = {"status", "--porcelain=v2", "-z", "--branch",
                                               "--no-ahead-behind", "--untracked-files=no",
                                               "--ignore-submodules=dirty", "--no-renames"}}));
  return ParseStatus(answer.out);
}

Result<Changes> ReadChanges(const Checkout& checkout, const FollowRequest& request) {
  BELAY_TRY_ASSIGN(const GitAnswer answer,
                   checkout.Run({.arguments = {"diff-tree", "-r", "-z", "--no-renames",
                                               "--ignore-submodules=none", request.from.text(),
                                               request.to.text()}}));
  BELAY_TRY_ASSIGN(std::vector<TreeChange> compared, ParseTreeChanges(answer.out));
  Changes changes;
  for (TreeChange& change : compared) {
    std::string path = change.path;
    changes.emplace(std::move(path), std::move(change));
  }
  return changes;
}

Result<void> CheckHead(const GitStatus& status, const FollowRequest& request) {
  if ("refs/heads/" + status.branch != request.branch) return Refuse("it is on another branch");
  if (status.head != request.to) return Refuse("the branch has moved on");
  return {};
}

// Git looks at no file that it was told to overlook, and would write over it.
Result<void> LookForOverlooked(const Checkout& checkout, const Changes& changes,
                               ObjectFormat format) {
  const auto index =
      checkout.files.Read(JoinPath(checkout.worktree.git_folder, "index"), kMostIndex);
  if (!index) return index.error().code == ErrorCode::kNotFound ? Result<void>() : index.error();
  BELAY_TRY_ASSIGN(const auto overlooked, FindOverlooked(checkout.git, *index, format));
  for (const Overlooked& file : overlooked) {
    if (!changes.contains(file.path)) continue;
    if (!checkout.files.Inspect(JoinPath(checkout.worktree.folder, file.path))) continue;
    return Refuse(fmt::format("git was told to overlook {}", Quote(file.path)));
  }
  return {};
}

Result<void> LookForFilters(const Checkout& checkout, const Changes& changes,
                            const LocalPrograms& programs) {
  if (programs.filters.empty()) return {};
  std::string paths;
  for (const auto& [path, change] : changes) {
    if (change.after.IsThere()) paths += path + '\0';
    if (FileName(path) == ".gitattributes") {
      return Refuse("attributes change, and the repository has filters of its own");
    }
  }
  BELAY_TRY_ASSIGN(const GitAnswer answer,
                   checkout.Run({.arguments = {"check-attr", "-z", "--stdin", "filter"},
                                 .input = InputOf(std::move(paths))}));
  Fields fields(answer.out, "check-attr");
  while (!fields.AtEnd()) {
    BELAY_TRY_ASSIGN(const std::string_view path, fields.PathUntilNul());
    BELAY_TRY(fields.Until('\0'));
    BELAY_TRY_ASSIGN(const std::string_view filter, fields.Until('\0'));
    if (programs.filters.contains(filter)) {
      return Refuse(fmt::format("{} has a filter of the repository's own", Quote(path)));
    }
  }
  return {};
}

// A file as it would be checked out, compared with what is there.
enum class Seen { kNothing, kNew, kBeginning, kOther };

Result<Seen> LookAt(const Checkout& checkout, const TreeChange& change) {
  const std::string path = JoinPath(checkout.worktree.folder, change.path);
  const auto info = checkout.files.Inspect(path);
  if (!info) {
    if (info.error().code != ErrorCode::kNotFound) return info.error();
    return change.after.IsThere() ? Seen::kNothing : Seen::kNew;
  }
  // A file that went, and became a folder.
  if (!change.after.IsThere() && info->kind == FileKind::kFolder) return Seen::kNew;
  const bool link = change.after.mode == kLinkMode;
  const bool wants_file = change.after.mode == kFileMode || change.after.mode == kProgramMode;
  if (info->kind != (link ? FileKind::kLink : FileKind::kFile) || (!link && !wants_file)) {
    return Seen::kOther;
  }
  BELAY_TRY_ASSIGN(const std::string there,
                   link ? checkout.files.ReadLink(path) : checkout.files.Read(path, kMostFile));
  GitCall call{
      .arguments = {"cat-file", "--filters", "--path=" + change.path, change.after.id.text()}};
  if (link) call.arguments = {"cat-file", "blob", change.after.id.text()};
  BELAY_TRY_ASSIGN(const GitAnswer wanted, checkout.Run(call));
  if (wanted.out == there) {
    const bool mode = link || info->IsExecutable() == (change.after.mode == kProgramMode);
    return mode ? Seen::kNew : Seen::kOther;
  }
  return wanted.out.starts_with(there) ? Seen::kBeginning : Seen::kOther;
}

enum class Files { kThatGo, kThatCome };

// Whether nothing else is in a folder.
// NOLINTNEXTLINE(misc-no-recursion): as deep as the folder.
bool HoldsOnly(Files which, const Checkout& checkout, const Changes& changes,
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
    if (change->second.after.IsThere() != (which == Files::kThatCome)) return false;
  }
  return true;
}

// Git would take the folder of a submodule that goes away, with all that is in it: a repository of
// its own, perhaps, and work of which status says nothing.
Result<void> LookIntoSubmodules(const Checkout& checkout, const Changes& changes) {
  for (const auto& [path, change] : changes) {
    const bool stays = change.after.mode == kSubmoduleMode;
    if (change.before.mode != kSubmoduleMode || stays) continue;
    const auto info = checkout.files.Inspect(JoinPath(checkout.worktree.folder, path));
    if (!info || info->kind != FileKind::kFolder) continue;
    if (HoldsOnly(Files::kThatCome, checkout, changes, path)) continue;
    return Refuse(fmt::format(
        "the submodule {} goes, and its folder isn't empty: move that away first, or git takes it",
        Quote(path)));
  }
  return {};
}

// The file or link that stands where a folder has to be; empty: none.
std::string FileAbove(const Checkout& checkout, std::string_view path) {
  std::string highest;
  for (std::string_view above = ParentPath(path); above != "."; above = ParentPath(above)) {
    const auto info = checkout.files.Inspect(JoinPath(checkout.worktree.folder, above));
    if (info && info->kind != FileKind::kFolder) highest = above;
  }
  return highest;
}

class Planner {
 public:
  Planner(const Checkout& checkout, const Changes& changes)
      : checkout_(checkout), changes_(changes) {}

  // What status said; an entry of which the index and files are as before or after the move.
  Result<void> TakeEntry(const StatusEntry& entry);
  // New files of which status says nothing: git doesn't track what may be there.
  Result<void> TakeNewFile(const TreeChange& change);
  FollowPlan Take() { return {index_is_new_, std::move(done_)}; }

 private:
  Result<void> TakeChanged(const TreeChange& change, std::string_view what);

  const Checkout& checkout_;
  const Changes& changes_;
  bool index_is_new_ = true;
  std::vector<TreeChange> done_;
};

Result<void> Planner::TakeChanged(const TreeChange& change, std::string_view what) {
  BELAY_TRY_ASSIGN(const Seen seen, LookAt(checkout_, change));
  const bool unfinished =
      checkout_.unfinished && (seen == Seen::kBeginning || seen == Seen::kNothing);
  if (seen != Seen::kNew && !unfinished) {
    return Refuse(fmt::format("{} {}", Quote(change.path), what));
  }
  done_.push_back(change);
  return {};
}

Result<void> Planner::TakeEntry(const StatusEntry& entry) {
  const auto found = changes_.find(entry.path);
  const bool module = entry.index.mode == kSubmoduleMode;
  if (entry.kind != StatusEntry::Kind::kChanged || entry.intent_to_add) {
    return Refuse(fmt::format("{} has something staged", Quote(entry.path)));
  }
  if (entry.index_changed) {
    index_is_new_ = false;
    if (found == changes_.end() || entry.index != found->second.before) {
      return Refuse(fmt::format("{} has something staged", Quote(entry.path)));
    }
  }
  if (!entry.worktree_changed || module) return {};
  if (found == changes_.end()) return Refuse(fmt::format("{} is changed", Quote(entry.path)));
  return TakeChanged(found->second, "is changed");
}

Result<void> Planner::TakeNewFile(const TreeChange& change) {
  const std::string above = FileAbove(checkout_, change.path);
  if (!above.empty()) {
    // One that goes away makes room, and what a link leads to isn't where the new file will be.
    const auto known = changes_.find(above);
    if (known != changes_.end() && known->second.before.IsThere()) return {};
    return Refuse(fmt::format("{} is in the way, and git doesn't track it", Quote(above)));
  }
  const auto info = checkout_.files.Inspect(JoinPath(checkout_.worktree.folder, change.path));
  if (!info) return {};
  if (info->kind == FileKind::kFolder) {
    const bool free = change.after.mode == kSubmoduleMode ||
                      HoldsOnly(Files::kThatGo, checkout_, changes_, change.path);
    if (free) return {};
    return Refuse(fmt::format("the folder {} is in the way", Quote(change.path)));
  }
  return TakeChanged(change, "is in the way, and git doesn't track it");
}

}  // namespace

// Git itself syncs neither files nor the index that it checks out.
Result<GitAnswer> Checkout::Run(GitCall call) const {
  call.settings.emplace_back("core.fsync=none");
  for (const auto& [name, value] : environment) call.environment.emplace(name, value);
  return git.Run(call);
}

Result<FollowPlan> PlanFollowing(const Checkout& checkout, const FollowRequest& request,
                                 const LocalPrograms& programs) {
  BELAY_TRY(LookForOperations(checkout));
  BELAY_TRY_ASSIGN(const GitStatus status, AskStatus(checkout));
  BELAY_TRY(CheckHead(status, request));
  BELAY_TRY_ASSIGN(const Changes changes, ReadChanges(checkout, request));
  Planner planner(checkout, changes);
  bool index_is_new = true;
  std::set<std::string_view> not_in_index;
  for (const StatusEntry& entry : status.entries) {
    index_is_new =
        index_is_new && !entry.index_changed && entry.kind == StatusEntry::Kind::kChanged;
    if (!entry.index.IsThere()) not_in_index.insert(entry.path);
  }
  if (index_is_new && !checkout.unfinished) return FollowPlan{true, {}};
  for (const StatusEntry& entry : status.entries) BELAY_TRY(planner.TakeEntry(entry));
  for (const auto& [path, change] : changes) {
    if (not_in_index.contains(path)) BELAY_TRY(planner.TakeNewFile(change));
  }
  BELAY_TRY(LookIntoSubmodules(checkout, changes));
  BELAY_TRY(LookForOverlooked(checkout, changes, request.to.format()));
  BELAY_TRY(LookForFilters(checkout, changes, programs));
  return planner.Take();
}

}  // namespace belay
