// Moves of the target that the queue didn't make: noticed, reported with who and what, and the
// target is tested again (MQ-6).

#ifndef BELAY_MERGE_DRIFT_H_
#define BELAY_MERGE_DRIFT_H_

#include <string>

#include "base/result.h"
#include "merge/gates.h"
#include "merge/merge_doors.h"

namespace belay {

// Nothing is wrong with such a move; what comes next in the queue is built on it. A target that is
// gone: kNotFound.
Result<void> NoticeDrift(const MergeDoors& doors, MergeLedger& ledger, Gates& gates,
                         const std::string& target);

}  // namespace belay

#endif  // BELAY_MERGE_DRIFT_H_
