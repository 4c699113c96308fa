// Deleting snapshots: the refs only. Git drops what nothing else names when it collects garbage, so
// for a while a deleted one can be brought back by its commit, which the journal names.
//
// First it is recorded what goes, where there is a vault, then the refs are deleted, each with its
// value checked. Killed in between, the record is there once more than the deletion; pruning again
// completes it.

#ifndef BELAY_SNAPSHOT_PRUNE_H_
#define BELAY_SNAPSHOT_PRUNE_H_

#include <set>
#include <span>
#include <vector>

#include "base/result.h"
#include "snapshot/retention.h"
#include "snapshot/worktree.h"
#include "store/layout.h"

namespace belay {

// What has to go of all names in the repository, by name and number. Changes nothing.
Result<std::vector<Expired>> PlanPrune(const Worktree& worktree, const RetentionLimits& limits,
                                       const std::set<ObjectId>& named_commits);

// What can't be recorded isn't deleted. What somebody else has deleted meanwhile is fine; one that
// says something else by now is kBusy, and then nothing is deleted.
Result<void> DeleteExpired(const Worktree& worktree, const Layout& project,
                           std::span<const Expired> expired);

}  // namespace belay

#endif  // BELAY_SNAPSHOT_PRUNE_H_
