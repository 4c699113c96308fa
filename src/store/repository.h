// Finds git's folders by reading its files: calling git would take longer than a whole hook command
// may.
//
// clang-format off
//   .git is a folder              the main worktree; the common folder is that .git
//   .git is a file, "gitdir: G"   G has a file `commondir`: a linked worktree of the repository it
//                                 names; else a submodule or a separate git folder, which is its own
//                                 main worktree
// clang-format on
//
// The common folder determines the main worktree of a linked one: `core.worktree` of its config,
// none if that has `core.bare`, else the folder it lies in if it is called .git. Git records
// nothing more, so for a separate git folder it is unknown.

#ifndef BELAY_STORE_REPOSITORY_H_
#define BELAY_STORE_REPOSITORY_H_

#include <optional>
#include <string>

#include "base/result.h"
#include "os/file_system.h"
#include "store/layout.h"

namespace belay {

struct Repository {
  std::string worktree;                      // the one that contains `start`
  std::optional<std::string> main_worktree;  // nothing: bare, or unknown
  std::string common_folder;                 // shared by all worktrees
  std::string git_folder;                    // of this worktree: its HEAD, its index
};

// The repository around `start`, all paths absolute and without links. None: kNotFound. An invalid
// `.git`: kDamaged.
Result<Repository> FindRepository(const FileSystem& files, const std::string& start);

// The branch that is checked out in a worktree, "login"; empty: none, or unknown.
std::string CheckedOutBranch(const FileSystem& files, const std::string& worktree);

// The common folder of a worktree's git folder. `git_folder` is without links.
Result<std::string> CommonFolderOf(const FileSystem& files, const std::string& git_folder);

// Whether the folder is a bare repository: git's files lie directly in it.
bool IsBareRepository(const FileSystem& files, const std::string& folder);

// Finds the project of a command, and so where its state is.

// What the command line and the environment say about the project.
struct ProjectClues {
  std::optional<std::string> root = {};   // --root
  std::optional<std::string> state = {};  // $BELAY_STATE: the path of a state root
  std::string current = {};               // the current folder
};

// The project that contains `root`, or whose state root is `state`, or else the one around
// `current`. A named folder needn't be a repository. A wrong or missing root is kUsage, and so are
// two that disagree, or a project with two vaults: nothing is guessed. There is no project only
// when none was named and there is no repository around `current`.
Result<std::optional<Layout>> FindProject(const FileSystem& files, const ProjectClues& clues);

// The same for callers that need one: none is kUsage.
Result<Layout> LocateProject(const FileSystem& files, const ProjectClues& clues);

}  // namespace belay

#endif  // BELAY_STORE_REPOSITORY_H_
