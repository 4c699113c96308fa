// What follows once an entry has ended: the branch is deleted, the agent's hook and whoever it
// concerns are told. Each part can be done twice without harm; the
// entry is marked `told` when all of it is done, so after a kill it is done again.

#ifndef BELAY_MERGE_AFTERMATH_H_
#define BELAY_MERGE_AFTERMATH_H_

#include <string>
#include <vector>

#include "adapters/git/branch_uses.h"
#include "base/result.h"
#include "merge/merge_doors.h"

namespace belay {

// Gives the entry as it is then. `worktrees`: those of the repository, if they were listed just
// now.
Result<MergeEntry> Settle(const MergeDoors& doors, MergeLedger& ledger, const MergeEntry& entry,
                          const std::vector<GitWorktree>& worktrees = {});

// Who is told of an entry's end, and who is to mend what didn't fit: the agent if it runs; if it
// has gone, a successor that is started from its hook; after too many attempts, or when it is
// nobody's, a person.

// A branch that could not land is handed in again: its agent is no longer blocked.
Result<void> NoteHandedIn(const MergeDoors& doors, const std::string& identity_name);

// Both give who got the report, for `belay why`: "orchestrator-login and a person".
Result<std::string> TellMerged(const MergeDoors& doors, const MergeEntry& entry);
Result<std::string> TellParked(const MergeDoors& doors, const MergeEntry& entry);

}  // namespace belay

#endif  // BELAY_MERGE_AFTERMATH_H_
