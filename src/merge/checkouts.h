// Checkouts of a target that an older belay left behind it: to git, what has landed since looks as
// if it had been deleted there. They are brought to the target before anything else lands, with a
// person's changes kept; files that both sides have changed become unmerged there, so that no
// commit undoes what has landed.

#ifndef BELAY_MERGE_CHECKOUTS_H_
#define BELAY_MERGE_CHECKOUTS_H_

#include <string>

#include "base/result.h"
#include "merge/merge_doors.h"

namespace belay {

// One that can't follow just now is tried again by the next run.
Result<void> BringLeftCheckoutsAlong(const MergeDoors& doors, const std::string& target);

}  // namespace belay

#endif  // BELAY_MERGE_CHECKOUTS_H_
