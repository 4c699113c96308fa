// The work after an entry has ended: the branch is deleted, the agent's hook record is updated, and
// the agent or the user gets a report. Each part can be repeated without harm; the entry is marked
// `reported` when all of it is done, so after a kill it is repeated.

#ifndef BELAY_MERGE_FINALIZE_H_
#define BELAY_MERGE_FINALIZE_H_

#include <string>
#include <vector>

#include "adapters/git/branch_uses.h"
#include "base/result.h"
#include "merge/merge_env.h"

namespace belay {

// Returns the entry as it is then. `worktrees`: the repository's, if they were listed just now.
Result<MergeEntry> Finalize(const MergeEnv& env, MergeLedger& ledger, const MergeEntry& entry,
                            const std::vector<GitWorktree>& worktrees = {});

// Who gets the report about an entry's end, and who has to fix work that didn't fit: the agent if
// it runs; if it has ended, a successor started from its hook record; after too many attempts, or
// without an agent, the user.

// A branch that could not land was handed in again: its agent is no longer blocked.
Result<void> NoteHandedIn(const MergeEnv& env, const std::string& identity_name);

// Both return the recipients of the report, for `belay why`: "orchestrator-login and a person".
Result<std::string> ReportMerged(const MergeEnv& env, const MergeEntry& entry);
Result<std::string> ReportParked(const MergeEnv& env, const MergeEntry& entry);

}  // namespace belay

#endif  // BELAY_MERGE_FINALIZE_H_
