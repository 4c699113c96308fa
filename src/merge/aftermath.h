// The work after an entry has ended: the branch is deleted, the agent's hook record is updated, and
// the agent or the user gets a report. Each part can be repeated without harm; the entry is marked
// `told` when all of it is done, so after a kill it is repeated.

#ifndef BELAY_MERGE_AFTERMATH_H_
#define BELAY_MERGE_AFTERMATH_H_

#include <vector>

#include "adapters/git/branch_uses.h"
#include "base/result.h"
#include "merge/merge_doors.h"

namespace belay {

// Returns the entry as it is then. `worktrees`: the repository's, if they were listed just now.
Result<MergeEntry> Settle(const MergeDoors& doors, MergeLedger& ledger, const MergeEntry& entry,
                          const std::vector<GitWorktree>& worktrees = {});

}  // namespace belay

#endif  // BELAY_MERGE_AFTERMATH_H_
