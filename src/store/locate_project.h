// Which project a command means, and so where all its state is.

#ifndef BELAY_STORE_LOCATE_PROJECT_H_
#define BELAY_STORE_LOCATE_PROJECT_H_

#include <optional>
#include <string>

#include "base/result.h"
#include "os/file_system.h"
#include "store/layout.h"

namespace belay {

// What a command line and its surroundings say about where the project is.
struct ProjectClues {
  std::optional<std::string> root = {};   // --root
  std::optional<std::string> state = {};  // $BELAY_STATE: the path of a state root
  std::string current = {};               // the current folder
};

// The project that `root` lies in, or whose state root `state` is, or else the one around
// `current`. A folder that was named needs no repository. A wrong or missing root is kUsage, and so
// are two that don't agree, or a project with two vaults: nothing is guessed. Only when nothing was
// named and there is no repository around `current`, there is no project.
Result<std::optional<Layout>> FindProject(const FileSystem& files, const ProjectClues& clues);

// The same for whoever needs one: none is kUsage.
Result<Layout> LocateProject(const FileSystem& files, const ProjectClues& clues);

}  // namespace belay

#endif  // BELAY_STORE_LOCATE_PROJECT_H_
