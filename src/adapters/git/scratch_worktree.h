// Worktrees of belay's own, in which candidates are tested: made once, then moved from candidate to
// candidate by what differs, which is much faster than making new ones.
//
// What runs in them is not to be trusted with leaving them in order. Before each use everything
// goes that the candidate hasn't, ignored files and nested repositories too; damage is repaired, or
// the worktree made anew. belay goes by an index of its own (`belay-index`), so that whatever was
// done to the usual one counts for nothing; that one is replaced by a copy.
//
// Hooks and filters of the repository's own configuration aren't run; line endings and other
// attributes count, as do filters of the user. Submodules are empty folders. Nothing is synced:
// what a crash takes, the next use repairs.

#ifndef BELAY_ADAPTERS_GIT_SCRATCH_WORKTREE_H_
#define BELAY_ADAPTERS_GIT_SCRATCH_WORKTREE_H_

#include <string>

#include "adapters/git/git.h"
#include "adapters/git/object_id.h"
#include "base/result.h"
#include "os/file_system.h"

namespace belay {

struct ScratchPlace {
  std::string common_folder;  // of the repository
  std::string folder;         // the worktree, absolute and without links; it may be missing
};

struct PreparedScratch {
  std::string git_folder;  // what git keeps about this worktree
  bool made;               // anew, because it wasn't there or couldn't be repaired
};

// When it returns, the worktree holds `commit` and nothing else, with a detached HEAD: git was
// asked. Nobody else may use the worktree meanwhile, and no process that did may still run: locks
// of git's that are left in it are removed.
Result<PreparedScratch> PrepareScratch(const Git& git, FileSystem& files, const ScratchPlace& place,
                                       const ObjectId& commit);

// The worktree and what git keeps about it. What isn't there is fine.
Result<void> RemoveScratch(FileSystem& files, const ScratchPlace& place);

}  // namespace belay

#endif  // BELAY_ADAPTERS_GIT_SCRATCH_WORKTREE_H_
