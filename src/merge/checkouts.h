// Checkouts that an older belay left behind their target: for git, everything that landed since
// looks deleted there. They are updated before anything else lands, and keep the user's changes;
// files that both sides changed become unmerged there, so that no commit undoes what has landed.

#ifndef BELAY_MERGE_CHECKOUTS_H_
#define BELAY_MERGE_CHECKOUTS_H_

#include <string>

#include "base/result.h"
#include "merge/merge_doors.h"

namespace belay {

// The next run retries a checkout that can't follow now.
Result<void> BringLeftCheckoutsAlong(const MergeDoors& doors, const std::string& target);

}  // namespace belay

#endif  // BELAY_MERGE_CHECKOUTS_H_
