// Whether a branch has landed, and how that is known.

#ifndef BELAY_ADAPTERS_GIT_LANDING_PROOF_H_
#define BELAY_ADAPTERS_GIT_LANDING_PROOF_H_

#include <string_view>

#include "adapters/git/merge_room.h"
#include "adapters/git/object_id.h"
#include "base/result.h"

namespace belay {

enum class LandingProof {
  kNotLanded,
  kNothingToLand,  // the branch changes nothing: no proof of anything
  kAncestry,       // its head is a commit of the target
  kNoChange,  // it would change nothing there, but no commit of the target is the same: no proof
  kPatches,   // for each of its commits the target has one with the same patch, still in effect
  kSquash,    // the target has one commit with the patch of them all, still in effect
};
std::string_view LandingProofName(LandingProof proof);

bool IsLanded(LandingProof proof);

// Of `head` in the room's target. `start` is the commit on which the branch was begun, if that is
// known: from the commits alone, a branch that was never worked on looks like one that has landed.
//
// A patch is still in effect if its commit, put on top of the target, changes nothing; that is
// asked for each commit alone, since a revert and its opposite would hide each other. What the
// target had and took back is not landed. Commits of a branch that contains merges can't be asked
// alone, so only ancestry proves that one.
Result<LandingProof> ProveLanding(MergeRoom& room, const ObjectId& head,
                                  const ObjectId& start = {});

}  // namespace belay

#endif  // BELAY_ADAPTERS_GIT_LANDING_PROOF_H_
