// Who gets the report about an entry's end, and who has to fix work that didn't fit: the agent if
// it runs; if it has ended, a successor started from its hook record; after too many attempts, or
// without an agent, the user.

#ifndef BELAY_MERGE_ESCALATION_H_
#define BELAY_MERGE_ESCALATION_H_

#include <string>

#include "base/result.h"
#include "merge/merge_doors.h"

namespace belay {

// A branch that could not land was handed in again: its agent is no longer blocked.
Result<void> NoteHandedIn(const MergeDoors& doors, const std::string& identity_name);

// Both return the recipients of the report, for `belay why`: "orchestrator-login and a person".
Result<std::string> TellMerged(const MergeDoors& doors, const MergeEntry& entry);
Result<std::string> TellParked(const MergeDoors& doors, const MergeEntry& entry);

}  // namespace belay

#endif  // BELAY_MERGE_ESCALATION_H_
