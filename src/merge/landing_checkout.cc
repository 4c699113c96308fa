// The last step of a landing: the target moves, with its checkouts; or the entry waits for one.

#include <fmt/core.h>

#include "adapters/git/branch_uses.h"
#include "merge/blame.h"
#include "merge/checkout_move.h"
#include "merge/entry_refs.h"
#include "merge/landing.h"
#include "merge/tell_person.h"

namespace belay {
namespace {

Result<TargetAdvance> AdvanceOf(const MergeDoors& doors, const MergeEntry& entry) {
  BELAY_TRY_ASSIGN(ObjectId from, ObjectId::Parse(entry.base));
  BELAY_TRY_ASSIGN(ObjectId to, ObjectId::Parse(entry.candidate));
  return TargetAdvance{.target = entry.target,
                       .from = std::move(from),
                       .to = std::move(to),
                       .reason = fmt::format("belay: {} lands {}", entry.id(), entry.branch),
                       .keep_blocked = doors.settings.dirty_checkout == DirtyCheckout::kLand};
}

std::string TroubleLine(const std::string& trouble) {
  return trouble + "; once that is repaired, it lands by itself";
}

}  // namespace

Result<MergeEntry> Lander::Advance(const MergeEntry& entry) {
  BELAY_TRY_ASSIGN(const TargetAdvance advance, AdvanceOf(doors_, entry));
  BELAY_TRY_ASSIGN(std::vector<GitWorktree> worktrees,
                   ListWorktrees(doors_.git, doors_.files, doors_.common_folder));
  const Result<AdvanceEnd> end = AdvanceWithCheckouts(doors_, advance, worktrees);
  if (end && end->kind == AdvanceEnd::Kind::kMoved) {
    worktrees_ = std::move(worktrees);
    return Finish(entry, entry.candidate, "landed");
  }
  if (end && end->kind == AdvanceEnd::Kind::kWaits) return WaitForCheckout(entry, end->why);
  // Somebody was quicker; or it can't be done just now, and the next run tries again.
  BELAY_TRY_ASSIGN(const LandingFacts facts, AskGitAbout(doors_, entry));
  if (facts.target_tip != entry.base || facts.candidate_lost) return entry;
  if (!end) return end.error();
  if (end->kind == AdvanceEnd::Kind::kCantFollow)
    return WaitForCheckout(entry, TroubleLine(end->why));
  return WaitForCheckout(
      entry, fmt::format("a checkout of {} is being switched; it lands by itself", entry.target));
}

Result<MergeEntry> Lander::TryCheckout(const MergeEntry& entry, const std::string& target_tip) {
  BELAY_TRY_ASSIGN(const TargetAdvance advance, AdvanceOf(doors_, entry));
  BELAY_TRY_ASSIGN(const std::vector<GitWorktree> worktrees,
                   ListWorktrees(doors_.git, doors_.files, doors_.common_folder));
  // Before it is tested again on a target that has moved: that would be for nothing.
  const WaitCheck check = target_tip == entry.base ? WaitCheck::kStage : WaitCheck::kLook;
  const Result<std::string> why = WhyCheckoutsWait(doors_, advance, worktrees, check);
  if (!why) {
    if (HitsEveryEntry(doors_, why.error()) || WasKilled(why.error())) return why.error();
    BELAY_TRY_ASSIGN(const std::string missing, MissingOf(doors_, entry.candidate, entry.base));
    if (!missing.empty()) return why.error();  // it will be built again
    return WaitForCheckout(entry, TroubleLine(why.error().message));
  }
  if (!why->empty()) return WaitForCheckout(entry, *why);
  if (target_tip != entry.base) return BeginAnew(entry);
  return Update(entry, "the checkout can follow now", [](MergeEntry& changed, MergeTarget& target) {
    changed.status = MergeStatus::kMerging;
    changed.last_error.clear();
    target.move = TargetMove{changed.base, changed.candidate};
    return Result<void>();
  });
}

// A person hears of it once; if belay is killed right after that, twice.
Result<MergeEntry> Lander::WaitForCheckout(const MergeEntry& entry, const std::string& why) {
  waited_.insert(entry.number);
  if (IsWaiting(entry.status) && entry.last_error == why) return entry;
  const std::string text = fmt::format("{}: {} waits: {}", entry.id(), entry.branch, why);
  doors_.say(text);
  if (!entry.told) TellPerson(doors_, text);
  return Update(entry, why, [&](MergeEntry& changed, MergeTarget& target) {
    changed.status = MergeStatus::kWaitingCheckout;
    changed.last_error = why;
    changed.told = true;
    target.move.reset();
    return Result<void>();
  });
}

}  // namespace belay
