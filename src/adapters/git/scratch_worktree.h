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
#include <vector>

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

// The folders of a scratch worktree as files: found, put in order and made, before git looks at
// them.

// What git keeps about the worktree: COMMON/worktrees/NAME. None: empty.
std::string FindGitFolder(const FileSystem& files, const ScratchPlace& place);

// As git makes them for a worktree with a detached HEAD at `commit`, but for the index. Everything
// that an operation, a killed git or a configuration of its own left there goes.
Result<void> TidyGitFolder(FileSystem& files, const ScratchPlace& place,
                           const std::string& git_folder, const ObjectId& commit);

// The names of all that was in the worktree when it was checked out last, as a digest. Empty: not
// known. It is forgotten by taking it.
std::string TakeNames(FileSystem& files, const std::string& git_folder);
Result<void> KeepNames(FileSystem& files, const std::string& git_folder, const std::string& digest);
std::string DigestOf(const std::vector<std::string>& names);

// Replaces the index that everybody uses by a copy of belay's.
Result<void> PublishIndex(FileSystem& files, const std::string& git_folder);
std::string OwnIndex(const std::string& git_folder);

}  // namespace belay

#endif  // BELAY_ADAPTERS_GIT_SCRATCH_WORKTREE_H_
