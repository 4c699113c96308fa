// Merging what is there now with what a snapshot has, from the base of both, as git does it.

#ifndef BELAY_SNAPSHOT_RESTORE_MERGE_H_
#define BELAY_SNAPSHOT_RESTORE_MERGE_H_

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "snapshot/restore_files.h"
#include "snapshot/restore_plan.h"
#include "snapshot/restore_present.h"
#include "snapshot/work_folder.h"
#include "snapshot/worktree.h"

namespace belay {

// Every file that is in conflict, merged and staged. Nothing when one of them can't be merged
// cleanly; binary files never can.
Result<std::optional<std::vector<StagedFile>>> StageMerges(const Worktree& worktree,
                                                           WorkFolder& staging,
                                                           const RestorePlan& plan,
                                                           const Present& present);

}  // namespace belay

#endif  // BELAY_SNAPSHOT_RESTORE_MERGE_H_
