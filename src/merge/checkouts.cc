#include "merge/checkouts.h"

#include <fmt/core.h>

#include "adapters/git/branch_uses.h"
#include "adapters/git/follow_checkout.h"
#include "merge/checkout_move.h"
#include "merge/entry_refs.h"

namespace belay {
namespace {

Result<void> Bring(const MergeDoors& doors, const std::string& target, const GitWorktree& worktree,
                   const ObjectId& from, const ObjectId& tip) {
  const TargetAdvance advance{
      .target = target, .from = from, .to = tip, .moves_ref = false, .keep_blocked = true};
  const GitWorktree worktrees[] = {worktree};
  BELAY_TRY_ASSIGN(const AdvanceEnd end, AdvanceWithCheckouts(doors, advance, worktrees));
  switch (end.kind) {
    case AdvanceEnd::Kind::kMoved:
      return ForgetBehind(doors.files, worktree);
    case AdvanceEnd::Kind::kWaits:
    case AdvanceEnd::Kind::kCantFollow:
      doors.say(fmt::format("{} is still behind {}: {}", worktree.folder, target, end.why));
      return {};
    case AdvanceEnd::Kind::kElsewhere:
      return {};
  }
  __builtin_unreachable();
}

}  // namespace

Result<void> BringLeftCheckoutsAlong(const MergeDoors& doors, const std::string& target) {
  if (!IsAnyBehind(doors.files, doors.common_folder)) return {};
  BELAY_TRY_ASSIGN(const std::vector<GitWorktree> worktrees,
                   ListWorktrees(doors.git, doors.files, doors.common_folder));
  BELAY_TRY_ASSIGN(const ObjectId tip, BranchTip(doors, target));
  if (tip.IsNone()) return {};
  for (const BranchUse& use : FindBranchUses(doors.files, worktrees, BranchRef(target))) {
    const auto behind = BehindAt(doors.files, use.worktree, BranchRef(target));
    if (behind) BELAY_TRY(Bring(doors, target, use.worktree, *behind, tip));
  }
  return {};
}

}  // namespace belay
