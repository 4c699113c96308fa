// The files of a snapshot's base, as git checks them out: with line endings and filters. Doesn't
// use the worktree's index, which may differ.

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

// Checks out `paths`, with the worktree's present attributes.
Result<std::vector<StagedFile>> StageFromBase(const Worktree& worktree, WorkFolder& staging,
                                              const ObjectId& base,
                                              const std::vector<std::string>& paths);

// Checks out all but `left_out` into `folder`, with the attributes that are there or in the base.
// Existing files are not replaced. A submodule becomes an empty folder.
Result<void> CheckOutBase(const Worktree& worktree, WorkFolder& staging, const ObjectId& base,
                          const std::vector<std::string>& left_out, const std::string& folder);

// Applies the index part of a plan: one git call, and a second one for intent-to-add entries.

// The files of intent-to-add entries must exist already.
Result<void> ChangeIndex(const Git& git, const std::vector<PlannedIndex>& changes,
                         ObjectFormat format);

// The input of `git update-index -z --index-info`.
std::string IndexInfo(const std::vector<PlannedIndex>& changes, ObjectFormat format);

}  // namespace belay

#endif  // BELAY_SNAPSHOT_RESTORE_CHECKOUT_H_
