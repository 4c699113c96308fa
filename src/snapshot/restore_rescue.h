// What a restore takes away is kept in a snapshot first.

#ifndef BELAY_SNAPSHOT_RESTORE_RESCUE_H_
#define BELAY_SNAPSHOT_RESTORE_RESCUE_H_

#include <string>
#include <vector>

#include "base/result.h"
#include "snapshot/capture_rules.h"
#include "snapshot/restore.h"
#include "snapshot/restore_plan.h"
#include "snapshot/restore_present.h"
#include "snapshot/work_folder.h"

namespace belay {

// The files that the plan replaces, merges or removes.
std::vector<std::string> TakenAway(const RestorePlan& plan);

// What no snapshot may hold can't be kept: replacing it becomes a conflict.
void RefuseSecrets(const CaptureRules& rules, const Present& present, RestorePlan& plan);

// A snapshot of the present state. It holds the very bytes of all that is taken away, also where
// git sees no change in them; if it can't: kRefused.
Result<SavedSnapshot> TakeRescue(const Worktree& worktree, const RestoreRequest& request,
                                 const Present& present, const RestorePlan& plan);

}  // namespace belay

#endif  // BELAY_SNAPSHOT_RESTORE_RESCUE_H_
