// Decides the next step for the current entry: a pure function of its record and of git's present
// state. A kill can follow any step; the next run decides again, and continues.
//
// clang-format off
//   status                    git's state                                 step
//   -----------------------   -----------------------------------------   ------------------------------
//   merging                   the target has the candidate                kFinish: it has landed
//   merging                   the target is at `base`                     kAdvance the target
//   other queued              the branch is gone, or symbolic             kGone
//   other queued              the branch has moved                        kTakeNewHead, then again
//   queued, target_moved,     anything else                               kBuild a candidate
//     rebasing
//   waiting_checkout          anything else                               kTryCheckout: whether it can
//                                                                           follow now
//   testing                   the target is at `base`                     kTest
//   testing, merging          it isn't any more                           kTargetMoved, then kBuild
//   testing, merging          the target is at `base`, but objects of     kRebuild, then kBuild: it gives
//                             the candidate are lost                      the same candidate
//   not queued                anything                                    kNothing
// clang-format on
//
// Lost objects are no reason to stop: the candidate is built from the branch and the target alone.
//
// A branch that moves while its gates run is new work, and is tested again. Once the target is
// being advanced, a move of the branch is ignored: the tested commits land.

#ifndef BELAY_ENGINE_MERGE_LANDING_STEP_H_
#define BELAY_ENGINE_MERGE_LANDING_STEP_H_

#include <string>

#include "model/merge_entry.h"

namespace belay {

// Commits as text; empty: none.
struct LandingFacts {
  std::string branch_tip;  // empty for a symbolic branch
  std::string target_tip;
  bool candidate_landed = false;       // the candidate is the target's tip, or an ancestor of it
  std::string branch_stands_for = {};  // for a symbolic branch: the ref
  bool candidate_lost = false;         // it, or an object that it needs, isn't in the repository
};

enum class LandingStep {
  kNothing,
  kGone,
  kTakeNewHead,
  kBuild,
  kTargetMoved,
  kTest,
  kAdvance,
  kFinish,
  kRebuild,
  kTryCheckout,
};

LandingStep NextLandingStep(const MergeEntry& entry, const LandingFacts& facts);

}  // namespace belay

#endif  // BELAY_ENGINE_MERGE_LANDING_STEP_H_
