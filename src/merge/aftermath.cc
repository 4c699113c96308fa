#include "merge/aftermath.h"

#include <fmt/core.h>

#include <span>

#include "adapters/git/branch_uses.h"
#include "adapters/git/follow_checkout.h"
#include "adapters/git/move_ref.h"
#include "merge/entry_refs.h"
#include "merge/escalation.h"

namespace belay {
namespace {

// False: not all of them could, and it is worth another try.
Result<bool> Report(const MergeDoors& doors, const MergeEntry& entry, const std::string& folder,
                    const Followed& followed) {
  switch (followed.end) {
    case Followed::End::kFollowed:
    case Followed::End::kAlreadyThere:
      return true;
    case Followed::End::kLeft:
      doors.say(
          fmt::format("{} stays as it is, behind {}: {}", folder, entry.target, followed.why));
      return true;
    case Followed::End::kLater:
      doors.say(fmt::format("{} stays behind {} until the queue is processed again: {}", folder,
                            entry.target, followed.why));
      return false;
    case Followed::End::kUnfinished:
      // Nothing may land before: the checkout could be brought to nothing but this commit.
      return Error{ErrorCode::kFailed,
                   fmt::format("{} has {} only in part: {}", folder, entry.merged_as.substr(0, 10),
                               followed.why),
                   "mend that, then belay merge-queue process goes on"};
  }
  __builtin_unreachable();
}

// Wherever the target is checked out. A checkout that isn't clean is left alone, and that is said.
// False as above.
Result<bool> BringCheckoutsAlong(const MergeDoors& doors, const MergeEntry& entry,
                                 std::span<const GitWorktree> worktrees) {
  if (entry.proof != "landed") return true;
  BELAY_TRY_ASSIGN(const ObjectId from, ObjectId::Parse(entry.base));
  BELAY_TRY_ASSIGN(const ObjectId tip, BranchTip(doors, entry.target));
  bool all = true;
  for (const BranchUse& use : FindBranchUses(doors.files, worktrees, BranchRef(entry.target))) {
    const bool there = use.kind == BranchUse::Kind::kCheckedOut && !use.worktree.is_bare &&
                       !use.worktree.is_prunable;
    if (!there) continue;
    const Followed followed =
        FollowCheckout(doors.git, doors.files, use.worktree, {BranchRef(entry.target), from, tip});
    BELAY_TRY_ASSIGN(const bool done, Report(doors, entry, use.worktree.folder, followed));
    all = all && done;
  }
  return all;
}

// What is still to be done.
struct Pending {
  bool branch = false;
  bool checkouts = false;
};

struct BranchEnd {
  bool pending = false;
  std::string notice = {};
  bool deleted = false;  // and its candidate's ref with it
};

// What was on it stays as refs/belay/merge/mN/head, and in the target.
Result<BranchEnd> DeleteBranch(const MergeDoors& doors, const MergeEntry& entry,
                               std::span<const GitWorktree> worktrees) {
  BELAY_TRY_ASSIGN(const ObjectId tip, BranchTip(doors, entry.branch));
  if (tip.IsNone()) return BranchEnd{};
  if (tip.text() != entry.head) {
    return BranchEnd{false, fmt::format("{} has new commits since, and is kept", entry.branch)};
  }
  const std::vector<BranchUse> uses =
      FindBranchUses(doors.files, worktrees, BranchRef(entry.branch));
  if (!uses.empty()) {
    return BranchEnd{true,
                     fmt::format("{} is checked out in {}, and deleted when it isn't any more",
                                 entry.branch, uses.front().worktree.folder)};
  }
  BELAY_TRY(KeepCommit(doors, EntryRef(entry, "head"), entry.head));
  BELAY_TRY(
      MoveRef(doors.git, doors.files, doors.common_folder,
              {BranchRef(entry.branch), tip, ObjectId(),
               fmt::format("belay: {} has landed", entry.id()), EntryRef(entry, "candidate")}));
  return BranchEnd{.deleted = true};
}

Result<MergeEntry> Mark(const MergeDoors& doors, MergeLedger& ledger, const MergeEntry& seen,
                        const Pending& pending) {
  BELAY_TRY_ASSIGN(const StateLock lock, MergeLedger::Lock(doors.files, doors.project));
  Result<MergeEntry> marked = ledger.Change(
      lock, seen.number, "told", [&](MergeEntry& entry, const MergeTarget&) -> Result<void> {
        if (entry.status != seen.status || entry.head != seen.head) return {};  // it goes on
        entry.told = true;
        entry.delete_pending = pending.branch;
        entry.follow_pending = pending.checkouts;
        return {};
      });
  (void)ledger.Render(lock);  // both made anew at the next chance
  (void)ledger.CompactIfLarge(lock);
  return marked;
}

Result<MergeEntry> SettleMerged(const MergeDoors& doors, MergeLedger& ledger,
                                const MergeEntry& entry) {
  BELAY_TRY_ASSIGN(const std::vector<GitWorktree> worktrees,
                   ListWorktrees(doors.git, doors.files, doors.common_folder));
  bool followed = true;
  if (!entry.told || entry.follow_pending) {
    BELAY_TRY_ASSIGN(followed, BringCheckoutsAlong(doors, entry, worktrees));
  }
  BELAY_TRY_ASSIGN(const BranchEnd end, DeleteBranch(doors, entry, worktrees));
  if (!entry.told) {
    if (!end.notice.empty()) doors.say(fmt::format("{}: {}", entry.id(), end.notice));
    BELAY_TRY(TellMerged(doors, entry));
    if (!end.deleted) BELAY_TRY(DropRef(doors.git, EntryRef(entry, "candidate")));
  }
  return Mark(doors, ledger, entry, {end.pending, !followed});
}

}  // namespace

Result<MergeEntry> Settle(const MergeDoors& doors, MergeLedger& ledger, const MergeEntry& entry) {
  if (entry.status == MergeStatus::kMerged) return SettleMerged(doors, ledger, entry);
  if (IsInLine(entry.status)) return entry;
  BELAY_TRY(DropRef(doors.git, EntryRef(entry, "candidate")));
  if (entry.told) return entry;
  BELAY_TRY(TellParked(doors, entry));
  return Mark(doors, ledger, entry, {});
}

}  // namespace belay
