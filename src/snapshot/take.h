// Takes a snapshot: reads the worktree, writes objects and one ref, and touches nothing else. It
// takes no git locks and waits for none.
//
// Everything that isn't part of the base goes into one pack of the snapshot's own, even objects in
// other packs: those may be deleted if nothing else refers to them. The pack is on the disk, under
// a name that git leaves alone, before the ref is made, and the ref is on the disk before this
// returns. A kill at any moment leaves either a complete snapshot or none, and files that the next
// snapshot removes.

#ifndef BELAY_SNAPSHOT_TAKE_H_
#define BELAY_SNAPSHOT_TAKE_H_

#include <string>
#include <vector>

#include "adapters/git/git.h"
#include "base/result.h"
#include "snapshot/capture_list.h"
#include "snapshot/saved_snapshot.h"
#include "snapshot/work_folder.h"

namespace belay {

struct TakeRequest {
  KeepName keep;
  std::string message = "taken by hand";  // one line
  std::string agent_id = {};
  CaptureRules rules = {};
  // Tracked files to capture although git sees no change in them: with filters or other line
  // endings, their bytes may exist nowhere else.
  std::vector<std::string> also = {};
  // Untracked files to capture although git ignores them.
  std::vector<std::string> also_untracked = {};
};

struct Taken {
  SavedSnapshot snapshot;
  bool is_new;  // false: the last one of `keep` has the same state, and is returned
  // What git reported as changed or untracked at that moment, captured or not; sorted.
  std::vector<std::string> uncommitted = {};
};

Result<Taken> TakeSnapshot(const Worktree& worktree, const TakeRequest& request);

// Makes the base commit of a snapshot durable: git doesn't sync what it commits.

// When it returns, `base` and everything it holds are on the disk. `synced` is a commit known to be
// there: only newer objects are synced, one by one. Without one, or when too many are new, the
// whole disk is.
Result<void> SyncBase(const Worktree& worktree, const ObjectId& base, const ObjectId& synced);

}  // namespace belay

#endif  // BELAY_SNAPSHOT_TAKE_H_
