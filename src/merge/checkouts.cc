#include "merge/checkouts.h"

#include <fmt/core.h>

#include "adapters/git/behind.h"
#include "adapters/git/follow_checkout.h"
#include "codec/shell_quote.h"
#include "merge/entry_refs.h"
#include "merge/tell_person.h"

namespace belay {
namespace {

class Follower {
 public:
  Follower(const MergeDoors& doors, const std::string& target, ObjectId tip)
      : doors_(doors), target_(target), branch_(BranchRef(target)), tip_(std::move(tip)) {}

  // As BringCheckoutsAlong, for one of them.
  Result<bool> Bring(const GitWorktree& worktree, const ObjectId& from) {
    const std::optional<ObjectId> behind = BehindAt(doors_.files, worktree, branch_);
    Followed followed = Follow(worktree, behind.value_or(from));
    // Somebody may have brought it along by hand meanwhile.
    if (behind && followed.end == Followed::End::kLeft) {
      const Followed second = Follow(worktree, from);
      if (second.end != Followed::End::kLeft) followed = second;
    }
    switch (followed.end) {
      case Followed::End::kFollowed:
      case Followed::End::kAlreadyThere:
        BELAY_TRY(ForgetBehind(doors_.files, worktree));
        return true;
      case Followed::End::kLeft:
        Leave(worktree, from, !behind, followed.why);
        return true;
      case Followed::End::kLater:
        if (!behind) (void)NoteBehind(doors_.files, worktree, branch_, from);
        doors_.say(fmt::format("{} stays behind {} until the queue is processed again: {}",
                               worktree.folder, target_, followed.why));
        return false;
      case Followed::End::kUnfinished:
        // Nothing may land before: the checkout could be brought to nothing but this commit.
        return Error{
            ErrorCode::kFailed,
            fmt::format("{} has {} only in part: {}", worktree.folder, tip_.Short(), followed.why),
            "mend that, then belay merge-queue process goes on"};
    }
    __builtin_unreachable();
  }

 private:
  Followed Follow(const GitWorktree& worktree, const ObjectId& from) const {
    return FollowCheckout(doors_.git, doors_.files, worktree, {branch_, from, tip_});
  }

  // To git, what landed meanwhile looks as if it had been deleted there.
  void Leave(const GitWorktree& worktree, const ObjectId& from, bool first,
             const std::string& why) const {
    if (!first) {
      return doors_.say(fmt::format("{} is still behind {}: {}", worktree.folder, target_, why));
    }
    const std::string text = fmt::format(
        "{} stays as it is, behind {}: {}. A commit there would undo what has landed; first "
        "git -C {} read-tree -m -u {} {}, which keeps what is changed there",
        worktree.folder, target_, why, ShellQuoted(worktree.folder), from.Short(), target_);
    doors_.say(text);
    TellPerson(doors_, text);
    const Result<void> noted = NoteBehind(doors_.files, worktree, branch_, from);
    if (!noted) doors_.say(noted.error().message);
  }

  const MergeDoors& doors_;
  const std::string& target_;
  std::string branch_;
  ObjectId tip_;
};

bool IsThere(const MergeDoors& doors, const BranchUse& use) {
  const GitWorktree& worktree = use.worktree;
  return use.kind == BranchUse::Kind::kCheckedOut && !worktree.is_bare && !worktree.is_prunable &&
         !worktree.git_folder.empty() && doors.files.Inspect(worktree.folder).ok();
}

}  // namespace

Result<bool> BringCheckoutsAlong(const MergeDoors& doors, const std::string& target,
                                 const ObjectId& from, std::span<const GitWorktree> worktrees) {
  BELAY_TRY_ASSIGN(ObjectId tip, BranchTip(doors, target));
  Follower follower(doors, target, std::move(tip));
  bool all = true;
  for (const BranchUse& use : FindBranchUses(doors.files, worktrees, BranchRef(target))) {
    if (!IsThere(doors, use)) continue;
    BELAY_TRY_ASSIGN(const bool done, follower.Bring(use.worktree, from));
    all = all && done;
  }
  return all;
}

Result<void> BringLeftCheckoutsAlong(const MergeDoors& doors, const std::string& target) {
  if (!IsAnyBehind(doors.files, doors.common_folder)) return {};
  BELAY_TRY_ASSIGN(const std::vector<GitWorktree> worktrees,
                   ListWorktrees(doors.git, doors.files, doors.common_folder));
  BELAY_TRY_ASSIGN(ObjectId tip, BranchTip(doors, target));
  if (tip.IsNone()) return {};
  Follower follower(doors, target, std::move(tip));
  for (const BranchUse& use : FindBranchUses(doors.files, worktrees, BranchRef(target))) {
    const auto behind = BehindAt(doors.files, use.worktree, BranchRef(target));
    if (behind && IsThere(doors, use)) BELAY_TRY(follower.Bring(use.worktree, *behind));
  }
  return {};
}

}  // namespace belay
