// Restoring a snapshot into its worktree, or into a new folder.
//
// In a worktree, only what the snapshot has changed against its base is brought back, path by path,
// in the files and in the index:
//
//   now there is                      and then
//   -------------------------------   ----------------------------------------------------------
//   what the snapshot has             nothing is done
//   nothing                           it is written
//   what the base has                 it is replaced (or removed, if the snapshot has nothing)
//   anything else                     it changed since: nothing at all is restored (kRefused), or
//                                     with `merge` the two are merged, if all merge cleanly
//
// A tracked file that is missing now and that the snapshot had unchanged is checked out again; not
// so if its deletion is staged, or where git has left it out, in a sparse checkout. What the
// snapshot doesn't name otherwise stays as it is. Of a submodule, the entry in the index is
// restored, and nothing in its folder.
//
// Before the first file is touched, a snapshot of the present state is taken whenever something
// would be replaced or removed. Files are written beside the tree, synced, and renamed into it; the
// index is changed last, by git. Killed at any moment, each file is as it was or as it will be, and
// restoring again goes on.
//
// Words that all parts of restoring use:
//
//   base      the commit that was HEAD when the snapshot was taken
//   target    what the snapshot has at a path, in the files
//   wanted    the paths at which the snapshot has something else than the base (restore_wanted.h)
//   present   the worktree and the index as they are now, at these paths (restore_present.h)
//   seen      what the file of a path was when it was looked at: nothing else may be replaced
//   plan      what is to be done, decided before anything is (restore_plan.h)
//   rescue    the snapshot of the present state, taken before anything is replaced or removed
//   staging   the folder beside the tree in which files are made and to which they are moved away

#ifndef BELAY_SNAPSHOT_RESTORE_H_
#define BELAY_SNAPSHOT_RESTORE_H_

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "snapshot/capture_rules.h"
#include "snapshot/saved_snapshot.h"
#include "snapshot/work_folder.h"

namespace belay {

struct RestoreRequest {
  SavedSnapshot snapshot;
  KeepName keep;  // of the worktree: whose snapshot the present state becomes
  CaptureRules rules = {};
  bool merge = false;
  bool dry_run = false;
};

struct NotRestored {
  std::string path;
  std::string why;  // "changed since", "a submodule: it had 1234567890 checked out", ...
};

struct Restored {
  std::vector<std::string> files = {};       // written, removed, merged or put into the index
  std::vector<NotRestored> skipped = {};     // of what the snapshot has or names
  std::vector<NotRestored> conflicts = {};   // changed since; then `files` is empty
  bool merges_cleanly = false;               // the conflicts would, with `merge`
  std::vector<std::string> kept = {};        // other changes of the present state, left alone
  std::optional<SavedSnapshot> rescue = {};  // of what was there before
};

// Conflicts are an outcome, not an error; then nothing was changed. kBusy when somebody holds
// index.lock: nothing was changed. kRefused when the snapshot has paths that must not be written,
// or something that would be replaced can't be kept first: nothing was changed. kFailed when
// somebody changes the tree or takes the index meanwhile: restoring again goes on.
Result<Restored> RestoreSnapshot(const Worktree& worktree, const RestoreRequest& request);

// All of the worktree as it was, into a folder that isn't there or is empty, below one that is. It
// has that name only when it is complete. It is no repository: the index has no place in it, and a
// submodule is an empty folder. A sparse checkout becomes a full one. `files` are those that the
// snapshot has beside its base; all others come as git checks them out.
Result<Restored> RestoreInto(const Worktree& worktree, const SavedSnapshot& snapshot,
                             const std::string& folder);

}  // namespace belay

#endif  // BELAY_SNAPSHOT_RESTORE_H_
