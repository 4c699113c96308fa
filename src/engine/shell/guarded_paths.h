// Which guarded paths a tool call would write: the settings by which an agent's work is judged, and
// belay's own records.
//
// clang-format off
//   written                                                        guarded path is meant if
//   -------------------------------------------------------------  -----------------------------------
//   the path itself, or a path in a guarded folder                 always
//   a folder around it, below the project                          it is removed, moved, replaced, or
//                                                                  filled by a copy, an archive or git
//   the project's folder, or one around that                       it is removed or moved
//   a path with unknown parts that can be it                       its known parts, or the line itself,
//                                                                  name it
//   another folder with the same file name                         it is the same folder under another
//                                                                  name; the caller has to look
// clang-format on
//
// A guard rail, not a boundary: a script does what it wants.

#ifndef BELAY_ENGINE_SHELL_GUARDED_PATHS_H_
#define BELAY_ENGINE_SHELL_GUARDED_PATHS_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/shell/effects.h"

namespace belay {

struct GuardedPath {
  std::string path;     // absolute
  bool folder = false;  // with everything in it
};

struct GuardedPaths {
  std::string root;  // of the project
  std::vector<GuardedPath> paths;
};

struct PathWrite {
  std::string path;     // absolute, with unknown parts (effects.h)
  std::string by = {};  // the program
};

// The guarded path that a write means; nullopt: none. `line` is the command line.
std::optional<std::string> GuardedBy(const GuardedPaths& guarded, const PathWrite& write,
                                     std::string_view line);

// The guarded path that it is if its folder has another name; nullopt: none.
std::optional<std::string> GuardedNameOf(const GuardedPaths& guarded, const PathWrite& write);

}  // namespace belay

#endif  // BELAY_ENGINE_SHELL_GUARDED_PATHS_H_
