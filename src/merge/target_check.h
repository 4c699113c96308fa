// Who may land work where. An agent's work lands on merge.target, or on a target that a person has
// used or protected; nobody's lands on a branch that a running agent works on.

#ifndef BELAY_MERGE_TARGET_CHECK_H_
#define BELAY_MERGE_TARGET_CHECK_H_

#include "base/result.h"
#include "merge/enqueue.h"
#include "merge/merge_doors.h"

namespace belay {

// kRefused, with the reason.
Result<void> CheckTarget(const MergeDoors& doors, const MergeBook& book,
                         const EnqueueRequest& request);

}  // namespace belay

#endif  // BELAY_MERGE_TARGET_CHECK_H_
