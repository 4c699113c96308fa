// Restores a snapshot into its worktree, or into a new folder.
//
// In a worktree, only the snapshot's differences from its base are restored, path by path, in the
// files and in the index:
//
//   the path now has                  then
//   -------------------------------   ----------------------------------------------------------
//   what the snapshot has             nothing is done
//   nothing                           it is written
//   what the base has                 it is replaced (or removed, if the snapshot has nothing)
//   anything else                     it changed since: nothing at all is restored (kRefused), or
//                                     with `merge` the two are merged, if all merge cleanly
//
// A tracked file that is missing now and unchanged in the snapshot is checked out again, unless its
// deletion is staged or a sparse checkout leaves it out. All other paths that the snapshot doesn't
// name stay as they are. For a submodule, only the index entry is restored, nothing in its folder.
//
// Before the first file is touched, a snapshot of the current state is taken if anything would be
// replaced or removed. Files are written beside the tree, synced, and renamed into it; git changes
// the index last. After a kill at any moment, each file is either old or new, and restoring again
// continues.
//
// Terms used by all parts of restore:
//
//   base      the commit that was HEAD when the snapshot was taken
//   target    what the snapshot has at a path, in the files
//   wanted    the paths at which the snapshot differs from the base (restore_wanted.h)
//   present   the worktree and the index as they are now, at these paths (restore_present.h)
//   seen      the file at a path when it was inspected: nothing else may be replaced
//   plan      the actions, decided before the first change (restore_plan.h)
//   rescue    the snapshot of the current state, taken before anything is replaced or removed
//   staging   the folder beside the tree where new files are made and old ones are moved

#ifndef BELAY_SNAPSHOT_RESTORE_H_
#define BELAY_SNAPSHOT_RESTORE_H_

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "snapshot/capture_list.h"
#include "snapshot/saved_snapshot.h"
#include "snapshot/work_folder.h"

namespace belay {

struct RestoreRequest {
  SavedSnapshot snapshot;
  KeepName keep;  // of the worktree: the current state is saved under this name
  CaptureRules rules = {};
  bool merge = false;
  bool dry_run = false;
  bool after_clean = false;  // settings that a cleaning left (clean.h) stay as they are now
};

struct NotRestored {
  std::string path;
  std::string why;  // "changed since", "a submodule: it had 1234567890 checked out", ...
};

struct Restored {
  std::vector<std::string> files = {};       // written, removed, merged or put into the index
  std::vector<NotRestored> skipped = {};     // parts of the snapshot that were not restored
  std::vector<NotRestored> conflicts = {};   // changed since; then `files` is empty
  bool merges_cleanly = false;               // they would with `merge`
  std::vector<std::string> kept = {};        // other changes of the current state, untouched
  std::optional<SavedSnapshot> rescue = {};  // the previous state
};

// Conflicts are an outcome, not an error; then nothing was changed. kBusy when index.lock is held:
// nothing was changed. kRefused when the snapshot has paths that must not be written, or a file
// that would be replaced can't be saved first: nothing was changed. kFailed when another process
// changes the tree or takes the index during the restore: restoring again continues.
Result<Restored> RestoreSnapshot(const Worktree& worktree, const RestoreRequest& request);

// The whole worktree as it was, into a folder that doesn't exist or is empty, in an existing one.
// It gets its name only when it is complete. It is not a repository: the index is not restored, and
// a submodule is an empty folder. A sparse checkout becomes a full one. `files` are those that
// differ from the base; all others are checked out by git.
Result<Restored> RestoreInto(const Worktree& worktree, const SavedSnapshot& snapshot,
                             const std::string& folder);

}  // namespace belay

#endif  // BELAY_SNAPSHOT_RESTORE_H_
