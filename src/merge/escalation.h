// Who is told of an entry's end, and who is to mend what didn't fit: the agent if it runs; if it
// has gone, a successor that is started from its hook; after too many attempts, or when it is
// nobody's, a person.

#ifndef BELAY_MERGE_ESCALATION_H_
#define BELAY_MERGE_ESCALATION_H_

#include <string>

#include "base/result.h"
#include "merge/merge_doors.h"

namespace belay {

// A branch that could not land is handed in again: its agent is no longer blocked.
Result<void> NoteHandedIn(const MergeDoors& doors, const std::string& identity_name);

// Both give who got the report, for `belay why`: "orchestrator-login and a person".
Result<std::string> TellMerged(const MergeDoors& doors, const MergeEntry& entry);
Result<std::string> TellParked(const MergeDoors& doors, const MergeEntry& entry);

}  // namespace belay

#endif  // BELAY_MERGE_ESCALATION_H_
