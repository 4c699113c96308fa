#include "adapters/git/follow_look.h"

#include <fmt/core.h>

#include <optional>
#include <set>
#include <span>

#include "adapters/git/status.h"
#include "base/path.h"
#include "base/utf8.h"

namespace belay {
namespace {

constexpr std::size_t kMostFile = std::size_t{1} << 30U;

Error Refuse(std::string why) { return {ErrorCode::kRefused, std::move(why)}; }

Result<void> LookForOperations(const Checkout& checkout) {
  const std::string& folder = checkout.worktree.git_folder;
  if (checkout.files.Inspect(JoinPath(folder, "index.lock"))) {
    return Error{ErrorCode::kBusy, fmt::format("git is at work there, or was killed: {} exists",
                                               JoinPath(folder, "index.lock"))};
  }
  const std::string operation = OperationUnderWay(checkout.files, folder);
  if (!operation.empty()) return Refuse(fmt::format("{} is under way there", operation));
  return {};
}

// The first of them is reason enough.
Result<void> RefuseIfAny(const std::vector<PathNote>& notes) {
  return notes.empty() ? Result<void>() : Refuse(notes.front().why);
}

Result<void> CheckHead(const GitStatus& status, const FollowRequest& request) {
  if ("refs/heads/" + status.branch != request.branch) return Refuse("it is on another branch");
  if (status.head != request.to) return Refuse("the branch has moved on");
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

class Planner {
 public:
  Planner(const Checkout& checkout, const PathChanges& changes)
      : checkout_(checkout), changes_(changes) {}

  // What status said; an entry of which the index and files are as before or after the move.
  Result<void> TakeEntry(const StatusEntry& entry);
  // New files of which status says nothing: git doesn't track what may be there.
  Result<void> TakeNewFile(const TreeChange& change);
  FollowPlan Take() { return {index_is_new_, std::move(done_)}; }

 private:
  Result<void> TakeChanged(const TreeChange& change, std::string_view what);

  const Checkout& checkout_;
  const PathChanges& changes_;
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
                      HoldsOnly(FilesThat::kGo, checkout_, changes_, change.path);
    if (free) return {};
    return Refuse(fmt::format("the folder {} is in the way", Quote(change.path)));
  }
  return TakeChanged(change, "is in the way, and git doesn't track it");
}

}  // namespace

Result<FollowPlan> PlanFollowing(const Checkout& checkout, const FollowRequest& request,
                                 const LocalPrograms& programs) {
  BELAY_TRY(LookForOperations(checkout));
  BELAY_TRY_ASSIGN(const GitStatus status, AskTrackedStatus(checkout));
  BELAY_TRY(CheckHead(status, request));
  BELAY_TRY_ASSIGN(const PathChanges changes, ReadPathChanges(checkout, request.from, request.to));
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
  BELAY_TRY(RefuseIfAny(FullSubmodulesAmong(checkout, changes)));
  BELAY_TRY_ASSIGN(const std::vector<PathNote> overlooked,
                   OverlookedAmong(checkout, changes, request.to.format()));
  BELAY_TRY(RefuseIfAny(overlooked));
  BELAY_TRY_ASSIGN(const std::vector<PathNote> filtered,
                   FilteredAmong(checkout, changes, programs));
  BELAY_TRY(RefuseIfAny(filtered));
  return planner.Take();
}

}  // namespace belay
