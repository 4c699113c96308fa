// Saves everything that a restore removes in a snapshot first.

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

// A file that no snapshot may hold can't be saved: replacing it becomes a conflict.
void RefuseSecrets(const CaptureRules& rules, const Present& present, RestorePlan& plan);

// A snapshot of the present state. It holds the exact bytes of everything that the plan removes,
// also where git sees no change; if that is impossible: kRefused.
Result<SavedSnapshot> TakeRescue(const Worktree& worktree, const RestoreRequest& request,
                                 const Present& present, const RestorePlan& plan);

}  // namespace belay

#endif  // BELAY_SNAPSHOT_RESTORE_RESCUE_H_
