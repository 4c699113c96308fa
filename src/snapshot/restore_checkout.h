// Files as the base of a snapshot has them, the way git checks them out: with line endings and
// filters. The index of the worktree isn't used, since it may say something else.

#ifndef BELAY_SNAPSHOT_RESTORE_CHECKOUT_H_
#define BELAY_SNAPSHOT_RESTORE_CHECKOUT_H_

#include <string>
#include <vector>

#include "adapters/git/git.h"
#include "adapters/git/object_id.h"
#include "base/result.h"
#include "codec/hash.h"
#include "snapshot/capture_rules.h"
#include "snapshot/restore.h"
#include "snapshot/restore_files.h"
#include "snapshot/restore_plan.h"
#include "snapshot/restore_present.h"
#include "snapshot/work_folder.h"

namespace belay {

// Of `paths`, by the attributes that the worktree has now.
Result<std::vector<StagedFile>> StageFromBase(const Worktree& worktree, WorkFolder& staging,
                                              const ObjectId& base,
                                              const std::vector<std::string>& paths);

// All but `left_out`, into `folder`, by the attributes that are there or that the base has. Nothing
// that is there is replaced. A submodule becomes an empty folder.
Result<void> CheckOutBase(const Worktree& worktree, WorkFolder& staging, const ObjectId& base,
                          const std::vector<std::string>& left_out, const std::string& folder);

// The index of a plan, done by git in one step, with intent-to-add in a second one.

// The files of intent-to-add entries are there already.
Result<void> ChangeIndex(const Git& git, const std::vector<PlannedIndex>& changes,
                         ObjectFormat format);

// What `git update-index -z --index-info` reads.
std::string IndexInfo(const std::vector<PlannedIndex>& changes, ObjectFormat format);

// What a restore takes away is kept in a snapshot first.

// The files that the plan replaces, merges or removes.
std::vector<std::string> TakenAway(const RestorePlan& plan);

// What no snapshot may hold can't be kept: replacing it becomes a conflict.
void RefuseSecrets(const CaptureRules& rules, const Present& present, RestorePlan& plan);

// A snapshot of the present state. It holds the very bytes of all that is taken away, also where
// git sees no change in them; if it can't: kRefused.
Result<SavedSnapshot> TakeRescue(const Worktree& worktree, const RestoreRequest& request,
                                 const Present& present, const RestorePlan& plan);

}  // namespace belay

#endif  // BELAY_SNAPSHOT_RESTORE_CHECKOUT_H_
