// The index of a plan, done by git in one step, with intent-to-add in a second one.

#ifndef BELAY_SNAPSHOT_RESTORE_INDEX_H_
#define BELAY_SNAPSHOT_RESTORE_INDEX_H_

#include <string>
#include <vector>

#include "adapters/git/git.h"
#include "base/result.h"
#include "codec/blob_hash.h"
#include "snapshot/restore_plan.h"

namespace belay {

// The files of intent-to-add entries are there already.
Result<void> ChangeIndex(const Git& git, const std::vector<PlannedIndex>& changes,
                         ObjectFormat format);

// What `git update-index -z --index-info` reads.
std::string IndexInfo(const std::vector<PlannedIndex>& changes, ObjectFormat format);

}  // namespace belay

#endif  // BELAY_SNAPSHOT_RESTORE_INDEX_H_
