// What a branch has that its target hasn't.

#ifndef BELAY_ADAPTERS_GIT_BRANCH_HISTORY_H_
#define BELAY_ADAPTERS_GIT_BRANCH_HISTORY_H_

#include <string_view>
#include <vector>

#include "adapters/git/merge_room.h"
#include "adapters/git/object_id.h"
#include "adapters/git/raw_commit.h"
#include "base/result.h"

namespace belay {

struct BranchCommit {
  ObjectId id;
  std::vector<ObjectId> parents;
  // Git found a commit of the target with the same patch, but for blanks and where in the files it
  // is: a hint, and none that the target still has it.
  bool marked;
};

// To mark commits, git looks at each one that the target has got since.
enum class Marks { kNone, kPatches };

struct BranchHistory {
  std::vector<BranchCommit> commits;  // each one after its parents; none: the target has them all
  std::vector<ObjectId> bases;        // commits of the target that they stand on

  bool StandsOn(const ObjectId& target) const;  // on its newest commit
  bool HasMerges() const;
};

// Of `head` against the room's target. Histories without a common commit: kRefused, which says if
// that may come from a shallow clone; a head that is missing or no commit: an error that says so.
Result<BranchHistory> ReadBranchHistory(const MergeRoom& room, const ObjectId& head,
                                        Marks marks = Marks::kNone);

// The commits of a history, those it stands on, the head, and the room's target.
Result<CommitMap> ReadHistoryCommits(const MergeRoom& room, const BranchHistory& history,
                                     const ObjectId& head);

// Of `git rev-list --parents --cherry-mark --boundary`. Anything else: kDamaged.
Result<BranchHistory> ParseBranchHistory(std::string_view output);

// Whether a branch has landed, and how that is known.

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

#endif  // BELAY_ADAPTERS_GIT_BRANCH_HISTORY_H_
