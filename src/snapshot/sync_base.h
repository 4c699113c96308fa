// Makes the commit that a snapshot stands on durable: git doesn't sync what it commits.

#ifndef BELAY_SNAPSHOT_SYNC_BASE_H_
#define BELAY_SNAPSHOT_SYNC_BASE_H_

#include "adapters/git/object_id.h"
#include "base/result.h"
#include "snapshot/worktree.h"

namespace belay {

// When it returns, `base` and everything it holds are on the disk. `synced` is a commit of which
// that is known: only what is new since then is synced, object by object. Without one, or when too
// much is new, the whole disk is.
Result<void> SyncBase(const Worktree& worktree, const ObjectId& base, const ObjectId& synced);

}  // namespace belay

#endif  // BELAY_SNAPSHOT_SYNC_BASE_H_
