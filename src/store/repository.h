// Where git keeps things, read from its files: asking the git program would take longer than a
// whole hook command may.
//
// clang-format off
//   .git is a folder              the main worktree; the common folder is that .git
//   .git is a file, "gitdir: G"   G has a file `commondir`: a linked worktree of the repository it
//                                 names; else a submodule or a separate git folder, which is its own
//                                 main worktree
// clang-format on
//
// The main worktree of a linked one is what the common folder says: `core.worktree` of its config,
// none if that says `core.bare`, else the folder it lies in if it is called .git. Git writes down
// nothing more, so for a separate git folder it can't be told.

#ifndef BELAY_STORE_REPOSITORY_H_
#define BELAY_STORE_REPOSITORY_H_

#include <optional>
#include <string>

#include "base/result.h"
#include "os/file_system.h"

namespace belay {

struct Repository {
  std::string worktree;                      // the one that `start` lies in
  std::optional<std::string> main_worktree;  // nothing: it is bare, or can't be told
  std::string common_folder;                 // shared by all worktrees
  std::string git_folder;                    // of this worktree: its HEAD, its index
};

// The repository around `start`, all paths absolute and without links. None: kNotFound. A `.git`
// that can't be understood: kDamaged.
Result<Repository> FindRepository(const FileSystem& files, const std::string& start);

// The branch that is checked out in a worktree, "login"; empty: none, or unknown.
std::string CheckedOutBranch(const FileSystem& files, const std::string& worktree);

// Of the git folder of a worktree: what all of them share. `git_folder` is without links.
Result<std::string> CommonFolderOf(const FileSystem& files, const std::string& git_folder);

// Whether the folder is one that has no worktree of its own: git's files lie open in it.
bool IsBareRepository(const FileSystem& files, const std::string& folder);

}  // namespace belay

#endif  // BELAY_STORE_REPOSITORY_H_
