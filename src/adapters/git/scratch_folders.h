// The folders of a scratch worktree as files: found, put in order and made, before git looks at
// them.

#ifndef BELAY_ADAPTERS_GIT_SCRATCH_FOLDERS_H_
#define BELAY_ADAPTERS_GIT_SCRATCH_FOLDERS_H_

#include <string>
#include <vector>

#include "adapters/git/scratch_worktree.h"

namespace belay {

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

#endif  // BELAY_ADAPTERS_GIT_SCRATCH_FOLDERS_H_
