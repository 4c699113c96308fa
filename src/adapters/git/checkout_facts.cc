#include "adapters/git/checkout_facts.h"

#include <fmt/core.h>

#include <utility>

#include "adapters/git/fields.h"
#include "base/path.h"
#include "base/utf8.h"
#include "codec/hash.h"

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
  if (IsMissing(index)) return found;
  if (!index) return index.error();
  BELAY_TRY_ASSIGN(const auto overlooked, FindOverlooked(checkout.git, *index, format));
  for (const Overlooked& file : overlooked) {
    if (!changes.contains(file.path)) continue;
    if (!checkout.files.Inspect(JoinPath(checkout.worktree.folder, file.path))) continue;
    found.push_back(
        {file.path, fmt::format("git is set to ignore changes in {}", Quote(file.path))});
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
    found.push_back({path, fmt::format("the submodule {} is removed, but its folder isn't empty: "
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

namespace {

constexpr std::size_t kMostLookedAt = std::size_t{1} << 32U;
// Coarser than the timestamps of any file system: a file written more recently than this can be
// written again without a visible difference.
constexpr auto kRacy = std::chrono::seconds(3);

std::string DigestOf(const FileSystem& files, const std::string& path, FileKind kind) {
  const Result<std::string> content =
      kind == FileKind::kLink ? files.ReadLink(path) : files.Read(path, kMostLookedAt);
  return content ? Sha256Hex(*content) : std::string("unreadable");
}

class CheckoutInspector {
 public:
  CheckoutInspector(const Checkout& checkout, const CheckoutMoveRequest& request, WallTime now)
      : checkout_(checkout), request_(request), now_(now) {}

  Result<CheckoutInspection> Run(const LocalPrograms& programs);

 private:
  std::string InCheckout(const std::string& path) const {
    return JoinPath(checkout_.worktree.folder, path);
  }
  void Block(const std::string& path, const std::string& why) { blocked_.try_emplace(path, why); }
  void Block(const std::vector<PathNote>& notes) {
    for (const PathNote& note : notes) Block(note.path, note.why);
  }
  void BlockStaged(const TreeChange& change, const GitEntry& index);
  void MarkFiles();
  Result<bool> ReadStatus();
  void TakeOther(const StatusEntry& entry);
  void TakeChange(const TreeChange& change);
  std::string WhatIsInTheWay(const TreeChange& change) const;

  const Checkout& checkout_;
  const CheckoutMoveRequest& request_;
  WallTime now_;
  CheckoutInspection look_;
  bool index_is_at_to_ = false;  // where status lists no entry for a path
  std::map<std::string, StatusEntry, std::less<>> entries_;
  std::map<std::string, FileMark, std::less<>> marks_;
  std::map<std::string, std::string, std::less<>> blocked_;
};

void CheckoutInspector::MarkFiles() {
  for (const auto& [path, change] : look_.changes) {
    marks_.emplace(path, MarkOf(checkout_.files, InCheckout(path), now_));
  }
}

// False: no need to look further.
Result<bool> CheckoutInspector::ReadStatus() {
  BELAY_TRY_ASSIGN(GitStatus status, AskTrackedStatus(checkout_));
  index_is_at_to_ = status.head == request_.to;
  look_.elsewhere =
      "refs/heads/" + status.branch != request_.branch ||
      (!request_.any_head && status.head != request_.from && status.head != request_.to);
  if (look_.elsewhere) return false;
  for (StatusEntry& entry : status.entries) {
    if (entry.kind == StatusEntry::Kind::kUnmerged) {
      look_.why_not = fmt::format("{} is unmerged there", Quote(entry.path));
      return false;
    }
    std::string path = entry.path;
    entries_.emplace(std::move(path), std::move(entry));
  }
  return true;
}

// The user has a file where the move needs a folder, or the reverse.
void CheckoutInspector::TakeOther(const StatusEntry& entry) {
  const bool there = entry.index.IsThere() || entry.intent_to_add || entry.worktree_mode != kNoMode;
  if (!there || look_.changes.contains(entry.path)) return;
  const std::string below = entry.path + "/";
  for (auto change = look_.changes.lower_bound(below);
       change != look_.changes.end() && change->first.starts_with(below); ++change) {
    if (change->second.after.IsThere()) {
      Block(change->first, fmt::format("{} is in the way", Quote(entry.path)));
    }
  }
  for (std::string_view above = ParentPath(entry.path); above != "."; above = ParentPath(above)) {
    const auto change = look_.changes.find(above);
    if (change != look_.changes.end() && change->second.after.IsThere()) {
      Block(change->first, fmt::format("{} is in the way", Quote(entry.path)));
    }
  }
}

// For a path that git doesn't track. Empty: the path is free.
std::string CheckoutInspector::WhatIsInTheWay(const TreeChange& change) const {
  const std::string above = FileAbove(checkout_, change.path);
  if (!above.empty()) {
    // A removed file makes room, and the target of a link isn't where the new file will be.
    const auto known = look_.changes.find(above);
    const bool goes = known != look_.changes.end() && known->second.before.IsThere();
    return goes ? "" : fmt::format("{} is in the way, and git doesn't track it", Quote(above));
  }
  const auto info = checkout_.files.Inspect(InCheckout(change.path));
  if (!info) return {};
  if (info->kind != FileKind::kFolder) {
    return fmt::format("{} is in the way, and git doesn't track it", Quote(change.path));
  }
  const bool free = change.after.mode == kSubmoduleMode ||
                    HoldsOnly(FilesThat::kGo, checkout_, look_.changes, change.path);
  return free ? "" : fmt::format("the folder {} is in the way", Quote(change.path));
}

void CheckoutInspector::BlockStaged(const TreeChange& change, const GitEntry& index) {
  if (index.IsThere() && index != change.after) look_.staged.emplace(change.path, index);
  Block(change.path, fmt::format("{} has staged changes", Quote(change.path)));
}

void CheckoutInspector::TakeChange(const TreeChange& change) {
  const auto known = entries_.find(change.path);
  const StatusEntry* entry = known != entries_.end() ? &known->second : nullptr;
  const GitEntry index = entry != nullptr  ? entry->index
                         : index_is_at_to_ ? change.after
                                           : change.before;
  if (entry != nullptr && entry->intent_to_add) return BlockStaged(change, GitEntry{});
  // Changes inside a submodule don't count.
  const bool edited = entry != nullptr && entry->worktree_changed && index.mode != kSubmoduleMode;
  if (index == change.after && !edited) return;  // already moved
  if (index != change.before) return BlockStaged(change, index);
  if (edited) {
    const bool gone = entry->worktree_mode == kNoMode;
    return Block(change.path,
                 fmt::format("{} is {}", Quote(change.path), gone ? "deleted" : "changed"));
  }
  if (change.before.mode == kSubmoduleMode && change.after.mode == kSubmoduleMode) {
    look_.submodules.push_back(change.path);
    return;
  }
  if (!index.IsThere()) {
    const std::string why = WhatIsInTheWay(change);
    if (!why.empty()) return Block(change.path, why);
  }
  look_.free.push_back({change, marks_[change.path]});
}

Result<CheckoutInspection> CheckoutInspector::Run(const LocalPrograms& programs) {
  const std::string operation = OperationUnderWay(checkout_.files, checkout_.worktree.git_folder);
  if (!operation.empty()) {
    look_.why_not = fmt::format("{} is in progress there", operation);
    return std::move(look_);
  }
  BELAY_TRY_ASSIGN(look_.changes, ReadPathChanges(checkout_, request_.from, request_.to));
  MarkFiles();
  BELAY_TRY_ASSIGN(const bool goes_on, ReadStatus());
  if (!goes_on) return std::move(look_);
  for (const auto& [path, entry] : entries_) TakeOther(entry);
  for (const auto& [path, change] : look_.changes) TakeChange(change);
  Block(FullSubmodulesAmong(checkout_, look_.changes));
  BELAY_TRY_ASSIGN(const auto overlooked,
                   OverlookedAmong(checkout_, look_.changes, request_.to.format()));
  Block(overlooked);
  BELAY_TRY_ASSIGN(look_.filtered, FilteredAmong(checkout_, look_.changes, programs));
  if (request_.block_filtered) Block(std::exchange(look_.filtered, {}));
  for (const auto& [path, why] : blocked_) look_.blocked.push_back({path, why});
  std::erase_if(look_.free,
                [&](const FreePath& free) { return blocked_.contains(free.change.path); });
  for (const FreePath& free : look_.free) {
    const std::string why = WhyNotWritable(checkout_, free.change.path);
    if (!why.empty()) look_.unwritable.push_back({free.change.path, why});
  }
  return std::move(look_);
}

}  // namespace

FileMark MarkOf(const FileSystem& files, const std::string& path, WallTime now) {
  const Result<FileInfo> info = files.Inspect(path);
  if (!info) return {};
  FileMark mark{info->inode, info->bytes, info->mode, info->modified, info->changed};
  const auto changed = WallTime(std::chrono::nanoseconds(info->changed));
  const bool has_content = info->kind == FileKind::kFile || info->kind == FileKind::kLink;
  if (has_content && now - changed < kRacy) mark.digest = DigestOf(files, path, info->kind);
  return mark;
}

bool IsUntouched(const FileSystem& files, const std::string& path, const FileMark& mark) {
  const Result<FileInfo> info = files.Inspect(path);
  if (!info) return !mark.IsThere();
  return info->changed == mark.changed && HasMarked(files, path, mark);
}

bool HasMarked(const FileSystem& files, const std::string& path, const FileMark& mark) {
  const Result<FileInfo> info = files.Inspect(path);
  if (!info) return !mark.IsThere();
  const bool same = info->inode == mark.inode && info->bytes == mark.bytes &&
                    info->mode == mark.mode && info->modified == mark.modified;
  return same && (mark.digest.empty() || mark.digest == DigestOf(files, path, info->kind));
}

Result<CheckoutInspection> InspectCheckout(const Checkout& checkout,
                                           const CheckoutMoveRequest& request,
                                           const LocalPrograms& programs, WallTime now) {
  return CheckoutInspector(checkout, request, now).Run(programs);
}

}  // namespace belay
