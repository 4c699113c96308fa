// Whether a branch has landed, and the proof.

#ifndef BELAY_ADAPTERS_GIT_LANDING_PROOF_H_
#define BELAY_ADAPTERS_GIT_LANDING_PROOF_H_

#include <string_view>

#include "adapters/git/merge_room.h"
#include "adapters/git/object_id.h"
#include "base/result.h"

namespace belay {

enum class LandingProof {
  kNotLanded,
  kNothingToLand,  // the branch changes nothing: proves nothing
  kAncestry,       // its head is a commit of the target
  kNoChange,       // it would change nothing there, but no commit of the target matches: no proof
  kPatches,  // the target has a commit with the same patch for each of its commits, still in effect
  kSquash,   // the target has one commit with their combined patch, still in effect
};
std::string_view LandingProofName(LandingProof proof);

bool IsLanded(LandingProof proof);

// For `head` in the room's target. `start` is the commit that the branch was started from, if
// known: by its commits alone, a branch without any work looks like one that has landed.
//
// A patch is still in effect if applying its commit to the target changes nothing; each commit is
// checked alone, since a revert and its opposite would hide each other. Work that the target has
// reverted is not landed. Commits of a branch that contains merges can't be checked alone, so only
// ancestry proves that it landed.
Result<LandingProof> ProveLanding(MergeRoom& room, const ObjectId& head,
                                  const ObjectId& start = {});

}  // namespace belay

#endif  // BELAY_ADAPTERS_GIT_LANDING_PROOF_H_
