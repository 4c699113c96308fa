// Checkouts of a target follow it, wherever they are. One that isn't clean is left alone, and that
// is said; it is brought along as soon as it is clean and the queue is processed.

#ifndef BELAY_MERGE_CHECKOUTS_H_
#define BELAY_MERGE_CHECKOUTS_H_

#include <span>
#include <string>

#include "adapters/git/branch_uses.h"
#include "adapters/git/object_id.h"
#include "base/result.h"
#include "merge/merge_doors.h"

namespace belay {

// After the target went on from `from`. False: not all of them could, because of trouble that may
// pass. An error: one has the new commit only in part, and nothing may land before it is mended.
Result<bool> BringCheckoutsAlong(const MergeDoors& doors, const std::string& target,
                                 const ObjectId& from, std::span<const GitWorktree> worktrees);

// Those that were left behind earlier.
Result<void> BringLeftCheckoutsAlong(const MergeDoors& doors, const std::string& target);

}  // namespace belay

#endif  // BELAY_MERGE_CHECKOUTS_H_
