// belay's own worktrees, in which candidates are tested: made once, then switched from candidate to
// candidate by their differences, which is much faster than making new ones.
//
// The programs that run in them are not trusted to clean up. Before each use, everything that the
// candidate lacks is removed, including ignored files and nested repositories; damage is repaired,
// or the worktree is made again. belay uses an index of its own (`belay-index`), so that changes to
// the usual index don't matter; that one is replaced by a copy.
//
// Hooks and filters from the repository's own configuration aren't run; line endings and other
// attributes count, and so do the user's filters. Submodules are empty folders. Nothing is synced:
// the next use repairs the damage of a crash.

#ifndef BELAY_ADAPTERS_GIT_SCRATCH_WORKTREE_H_
#define BELAY_ADAPTERS_GIT_SCRATCH_WORKTREE_H_

#include <string>
#include <vector>

#include "adapters/git/git.h"
#include "base/result.h"
#include "os/file_system.h"

namespace belay {

struct ScratchPlace {
  std::string common_folder;  // of the repository
  std::string folder;         // the worktree, absolute and without links; it may be missing
};

struct PreparedScratch {
  std::string git_folder;  // git's folder for this worktree
  bool made;               // it was missing or couldn't be repaired
};

// When it returns, the worktree holds `commit` and nothing else, with a detached HEAD, verified by
// git. No other process may use the worktree at the same time, and no earlier user may still run:
// git locks left in it are removed.
Result<PreparedScratch> PrepareScratch(const Git& git, FileSystem& files, const ScratchPlace& place,
                                       const ObjectId& commit);

// The worktree and git's folder for it. Succeeds if they don't exist.
Result<void> RemoveScratch(FileSystem& files, const ScratchPlace& place);

// The folders of a scratch worktree as files: found, put in order and made, before git sees them.

// Git's folder for the worktree: COMMON/worktrees/NAME. Empty: none.
std::string FindGitFolder(const FileSystem& files, const ScratchPlace& place);

// As git makes it for a worktree with a detached HEAD at `commit`, but without the index. Removes
// everything that an operation, a killed git or a configuration of its own left there.
Result<void> TidyGitFolder(FileSystem& files, const ScratchPlace& place,
                           const std::string& git_folder, const ObjectId& commit);

// A digest of all names in the worktree at its last checkout. Empty: unknown. Taking it deletes it.
std::string TakeNames(FileSystem& files, const std::string& git_folder);
Result<void> KeepNames(FileSystem& files, const std::string& git_folder, const std::string& digest);
std::string DigestOf(const std::vector<std::string>& names);

// Replaces the usual index by a copy of belay's.
Result<void> PublishIndex(FileSystem& files, const std::string& git_folder);
std::string OwnIndex(const std::string& git_folder);

}  // namespace belay

#endif  // BELAY_ADAPTERS_GIT_SCRATCH_WORKTREE_H_
