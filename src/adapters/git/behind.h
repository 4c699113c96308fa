// A checkout that its branch has left behind: which commit its index and files are of. Git itself
// knows only where the branch is now, and takes what the checkout hasn't got for changes of its
// own.
//
// Kept as `belay-behind` in the worktree's git folder: "refs/heads/main COMMIT".

#ifndef BELAY_ADAPTERS_GIT_BEHIND_H_
#define BELAY_ADAPTERS_GIT_BEHIND_H_

#include <optional>
#include <string>

#include "adapters/git/branch_uses.h"
#include "adapters/git/object_id.h"
#include "base/result.h"
#include "os/file_system.h"

namespace belay {

// Nothing: as far as is known it is where `branch` is.
std::optional<ObjectId> BehindAt(const FileSystem& files, const GitWorktree& worktree,
                                 const std::string& branch);
Result<void> NoteBehind(FileSystem& files, const GitWorktree& worktree, const std::string& branch,
                        const ObjectId& commit);
Result<void> ForgetBehind(FileSystem& files, const GitWorktree& worktree);

// Whether there is any such checkout in the repository, without asking git.
bool IsAnyBehind(const FileSystem& files, const std::string& common_folder);

}  // namespace belay

#endif  // BELAY_ADAPTERS_GIT_BEHIND_H_
