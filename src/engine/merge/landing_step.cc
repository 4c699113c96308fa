#include "engine/merge/landing_step.h"

namespace belay {

LandingStep NextLandingStep(const MergeEntry& entry, const LandingFacts& facts) {
  if (!IsInQueue(entry.status)) return LandingStep::kNothing;
  const bool advancing = entry.status == MergeStatus::kMerging;
  if (advancing && facts.candidate_landed) return LandingStep::kFinish;
  if (!advancing && facts.branch_tip.empty()) return LandingStep::kGone;
  if (!advancing && facts.branch_tip != entry.head) return LandingStep::kTakeNewHead;
  if (IsWaiting(entry.status)) return LandingStep::kTryCheckout;
  const bool built = entry.status == MergeStatus::kTesting || advancing;
  if (!built) return LandingStep::kBuild;
  if (facts.target_tip != entry.base) return LandingStep::kTargetMoved;
  if (facts.candidate_lost) return LandingStep::kRebuild;
  return advancing ? LandingStep::kAdvance : LandingStep::kTest;
}

}  // namespace belay
