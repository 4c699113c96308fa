// The commits that a branch has and its target lacks.

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

}  // namespace belay

#endif  // BELAY_ADAPTERS_GIT_BRANCH_HISTORY_H_
