// What follows once an entry has ended: the branch is deleted, the agent's hook and whoever it
// concerns are told. Each part can be done twice without harm; the
// entry is marked `told` when all of it is done, so after a kill it is done again.

#ifndef BELAY_MERGE_AFTERMATH_H_
#define BELAY_MERGE_AFTERMATH_H_

#include <vector>

#include "adapters/git/branch_uses.h"
#include "base/result.h"
#include "merge/merge_doors.h"

namespace belay {

// Gives the entry as it is then. `worktrees`: those of the repository, if they were listed just
// now.
Result<MergeEntry> Settle(const MergeDoors& doors, MergeLedger& ledger, const MergeEntry& entry,
                          const std::vector<GitWorktree>& worktrees = {});

}  // namespace belay

#endif  // BELAY_MERGE_AFTERMATH_H_
