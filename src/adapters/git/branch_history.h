// The commits that a branch has and its target lacks.

#ifndef BELAY_ADAPTERS_GIT_BRANCH_HISTORY_H_
#define BELAY_ADAPTERS_GIT_BRANCH_HISTORY_H_

#include <string_view>
#include <vector>

#include "adapters/git/git.h"
#include "adapters/git/merge_room.h"
#include "adapters/git/objects.h"
#include "base/result.h"

namespace belay {

struct BranchCommit {
  ObjectId id;
  std::vector<ObjectId> parents;
  // Git found a commit of the target with the same patch, ignoring blanks and its place in the
  // files: only a hint, and no proof that the patch is still in effect.
  bool marked;
};

// To mark commits, git examines every commit that the target gained since.
enum class Marks { kNone, kPatches };

struct BranchHistory {
  std::vector<BranchCommit> commits;  // parents first; empty: the target has them all
  std::vector<ObjectId> bases;        // the target's commits that they are based on

  bool StandsOn(const ObjectId& target) const;  // is its newest commit a base
  bool HasMerges() const;
};

// The history of `head` against the room's target. Histories without a common commit: kRefused,
// with a note if that may come from a shallow clone; a head that is missing or no commit: an error
// that names it.
Result<BranchHistory> ReadBranchHistory(const MergeRoom& room, const ObjectId& head,
                                        Marks marks = Marks::kNone);

// The commits of a history, its bases, the head, and the room's target.
Result<CommitMap> ReadHistoryCommits(const MergeRoom& room, const BranchHistory& history,
                                     const ObjectId& head);

// Parses `git rev-list --parents --cherry-mark --boundary`. Anything else: kDamaged.
Result<BranchHistory> ParseBranchHistory(std::string_view output);

// Whether a branch has landed, and the proof.

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

#endif  // BELAY_ADAPTERS_GIT_BRANCH_HISTORY_H_
