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
#include "snapshot/restore_files.h"
#include "snapshot/restore_plan.h"
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

}  // namespace belay

#endif  // BELAY_SNAPSHOT_RESTORE_CHECKOUT_H_
