// Makes commits durable, with everything they hold: git doesn't sync what it commits, and a branch
// that is about to be landed was written by somebody else's git.

#ifndef BELAY_ADAPTERS_GIT_SYNC_OBJECTS_H_
#define BELAY_ADAPTERS_GIT_SYNC_OBJECTS_H_

#include <span>

#include "adapters/git/merge_room.h"
#include "adapters/git/object_id.h"
#include "base/result.h"

namespace belay {

struct CommitToSync {
  ObjectId commit;
  ObjectId parent;  // the first one: among those to sync, or on the disk already; none: a root
  ObjectId tree;
};

// When it returns, all that they have and their parents haven't is on the disk: with the parents,
// all of them. Objects are synced one by one, or the whole disk at once when there are many.
Result<void> SyncCommits(const MergeRoom& room, std::span<const CommitToSync> commits);

}  // namespace belay

#endif  // BELAY_ADAPTERS_GIT_SYNC_OBJECTS_H_
