// Cleans a worktree: the inverse of a snapshot. Exactly the paths that the snapshot holds go back
// to HEAD, in the files and in the index, and only where both are still as captured:
//
//   the file is now            and its index entry            then
//   ------------------------   ---------------------------- ---------------------------------------
//   as captured                as captured, or HEAD's         it goes back to HEAD: it is replaced,
//                                                             written again, or removed
//   HEAD's already             as captured, or HEAD's         only the index goes back
//   anything else              anything                       both stay, and the path is named
//   anything                   anything else                  both stay, and the path is named
//
// A file that git checks out with other bytes than those captured, but in which it sees no change,
// stays as it is. So do submodules, which are named, uncommitted settings (untracked files below
// .claude/), and everything that the snapshot didn't capture. If HEAD is no longer the snapshot's
// base, or a merge or rebase is under way, everything stays.
//
// Files are changed as a restore changes them (restore_files.h): never overwritten in place,
// checked again right before. After a kill at any moment, each file is as captured or as in HEAD,
// and cleaning again continues.

#ifndef BELAY_SNAPSHOT_CLEAN_H_
#define BELAY_SNAPSHOT_CLEAN_H_

#include <string>
#include <vector>

#include "base/result.h"
#include "snapshot/restore.h"
#include "snapshot/restore_plan.h"
#include "snapshot/saved_snapshot.h"
#include "snapshot/work_folder.h"

namespace belay {

struct CleanPlan {
  std::vector<std::string> removals = {};
  std::vector<std::string> checkouts = {};  // HEAD's version, through git's filters
  std::vector<PlannedIndex> index = {};
  std::vector<NotRestored> left = {};
};
// Pure. `paths` are the snapshot's.
CleanPlan PlanClean(const std::vector<PathToRestore>& paths);

struct Cleaned {
  std::vector<std::string> files = {};  // that went back
  std::vector<NotRestored> left = {};   // that stay, with the reason
};

// A power cut right after it may bring captured files back: their content is the snapshot's, so
// that a restore finds nothing to do for them. kBusy when index.lock is held: nothing was changed.
// kFailed when another process changes the tree during the cleaning: cleaning again continues.
Result<Cleaned> CleanWorktree(const Worktree& worktree, const SavedSnapshot& snapshot);

}  // namespace belay

#endif  // BELAY_SNAPSHOT_CLEAN_H_
