// Finds the project of a command, and so where its state is.

#ifndef BELAY_STORE_LOCATE_PROJECT_H_
#define BELAY_STORE_LOCATE_PROJECT_H_

#include <optional>
#include <string>

#include "base/result.h"
#include "os/file_system.h"
#include "store/layout.h"

namespace belay {

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

#endif  // BELAY_STORE_LOCATE_PROJECT_H_
