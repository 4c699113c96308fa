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
  kNoChange,       // merging it would change nothing, as after a squash
  kPatches,        // so it is, and for each of its commits the target has one with the same patch
};
std::string_view LandingProofName(LandingProof proof);

bool IsLanded(LandingProof proof);

// Of `head` in the room's target. `start` is the commit on which the branch was begun, if that is
// known: from the commits alone, a branch that was never worked on looks like one that has landed.
// What the target had and has no more, since somebody took it back, isn't proven by patches.
Result<LandingProof> ProveLanding(MergeRoom& room, const ObjectId& head,
                                  const ObjectId& start = {});

}  // namespace belay

#endif  // BELAY_ADAPTERS_GIT_LANDING_PROOF_H_
