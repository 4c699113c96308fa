// The files of a snapshot's base, as git checks them out: with line endings and filters.

#ifndef BELAY_SNAPSHOT_RESTORE_CHECKOUT_H_
#define BELAY_SNAPSHOT_RESTORE_CHECKOUT_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/git/git.h"
#include "base/result.h"
#include "codec/hash.h"
#include "snapshot/capture_list.h"
#include "snapshot/restore.h"
#include "snapshot/restore_files.h"
#include "snapshot/restore_plan.h"
#include "snapshot/restore_present.h"
#include "snapshot/restore_wanted.h"
#include "snapshot/work_folder.h"

namespace belay {

// Which index names the content of the files: one that is made from the base, since the worktree's
// may differ; or the worktree's, for a caller that knows that it has the base's entries of these
// paths and of all attributes. That saves reading and writing a whole index.
enum class StageIndex { kOfBase, kOfWorktree };
// Checks out `paths`, with the worktree's present attributes.
Result<std::vector<StagedFile>> StageFromBase(const Worktree& worktree, WorkFolder& staging,
                                              const ObjectId& base,
                                              const std::vector<std::string>& paths,
                                              StageIndex from = StageIndex::kOfBase);

// Checks out all but `left_out` into `folder`, with the attributes that are there or in the base.
// Existing files are not replaced. A submodule becomes an empty folder.
Result<void> CheckOutBase(const Worktree& worktree, WorkFolder& staging, const ObjectId& base,
                          const std::vector<std::string>& left_out, const std::string& folder);

// Applies the index part of a plan: one git call, and a second one for intent-to-add entries.

// The files of intent-to-add entries must exist already.
Result<void> ChangeIndex(const Git& git, const std::vector<PlannedIndex>& changes,
                         ObjectFormat format);

// What was read of the index before a plan was made; borrows from the reader.
struct SeenIndex {
  const std::optional<FileInfo>& file;
  const Wanted& wanted;
  const ObjectId& head;
};
// Whether the index file is the very one that was read.
bool IsIndexFileAsSeen(const Worktree& worktree, const std::optional<FileInfo>& seen);
// Whether the entries to change are still what the plan saw. Another git may have refreshed the
// index, which is harmless; only its content matters.
Result<void> CheckIndexAsSeen(const Worktree& worktree, const SeenIndex& seen,
                              const std::vector<PlannedIndex>& changes);

// kBusy when git's index.lock exists. `operation` is for the message.
Result<void> CheckIndexLock(const Worktree& worktree, std::string_view operation);

// The input of `git update-index -z --index-info`.
std::string IndexInfo(const std::vector<PlannedIndex>& changes, ObjectFormat format);

// Saves everything that a restore removes in a snapshot first.

// The files that the plan replaces, merges or removes.
std::vector<std::string> TakenAway(const RestorePlan& plan);

// A file that no snapshot may hold can't be saved: replacing it becomes a conflict.
void RefuseSecrets(const CaptureRules& rules, const Present& present, RestorePlan& plan);

// A snapshot of the current state. It holds the exact bytes of everything that the plan removes,
// also where git sees no change; if that is impossible: kRefused.
Result<SavedSnapshot> TakeRescue(const Worktree& worktree, const RestoreRequest& request,
                                 const Present& present, const RestorePlan& plan);

}  // namespace belay

#endif  // BELAY_SNAPSHOT_RESTORE_CHECKOUT_H_
