// What is to be done next for the entry whose turn it is: a pure function of its record and of what
// git says now. Every step can be the last one before a kill; the next run asks again, and goes on.
//
// clang-format off
//   status                    what git says                               step
//   -----------------------   -----------------------------------------   ------------------------------
//   merging                   the target has the candidate                kFinish: it was landed
//   merging                   the target is at `base`                     kAdvance the target
//   other in line             the branch is gone, or symbolic             kGone
//   other in line             the branch has moved                        kTakeNewHead, then again
//   queued, target_moved,     anything else                               kBuild a candidate
//     rebasing
//   waiting_checkout          anything else                               kTryCheckout: whether it can
//                                                                           follow now
//   testing                   the target is at `base`                     kTest
//   testing, merging          it isn't any more                           kTargetMoved, then kBuild
//   testing, merging          the target is at `base`, but objects of     kRebuild, then kBuild: it gives
//                             the candidate are lost                      the same candidate
//   not in line               anything                                    kNothing
// clang-format on
//
// Lost objects are no reason to stop: the candidate is built from the branch and the target alone.
//
// A branch that moves while its gates run is new work, and is tested again. One that moves once the
// target is being advanced is not looked at any more: what was tested lands.

#ifndef BELAY_ENGINE_MERGE_LANDING_STEP_H_
#define BELAY_ENGINE_MERGE_LANDING_STEP_H_

#include <string>

#include "model/merge_entry.h"

namespace belay {

// Commits as text; empty: there is none.
struct LandingFacts {
  std::string branch_tip;  // none of a symbolic branch
  std::string target_tip;
  bool candidate_landed = false;       // the candidate is the target's tip, or before it
  std::string branch_stands_for = {};  // of a symbolic one: the ref
  bool candidate_lost = false;         // it, or something that it needs, isn't in the repository
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
