// Notices moves of the target that the queue didn't make, reports who and what, and tests the
// target again (MQ-6).

#ifndef BELAY_MERGE_DRIFT_H_
#define BELAY_MERGE_DRIFT_H_

#include <string>

#include "base/result.h"
#include "merge/gates.h"
#include "merge/merge_env.h"

namespace belay {

// Such a move is not an error; the next entry is built on it. A missing target: kNotFound.
Result<void> NoticeDrift(const MergeEnv& env, MergeLedger& ledger, Gates& gates,
                         const std::string& target);

}  // namespace belay

#endif  // BELAY_MERGE_DRIFT_H_
