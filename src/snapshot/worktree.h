// One worktree, with the doors to it: what taking and restoring a snapshot need.

#ifndef BELAY_SNAPSHOT_WORKTREE_H_
#define BELAY_SNAPSHOT_WORKTREE_H_

#include "adapters/git/git.h"
#include "os/clock.h"
#include "os/file_system.h"
#include "store/repository.h"

namespace belay {

struct Worktree {
  FileSystem& files;
  const Git& git;  // its folder is the worktree's
  const Clock& clock;
  const Repository& place;
};

}  // namespace belay

#endif  // BELAY_SNAPSHOT_WORKTREE_H_
