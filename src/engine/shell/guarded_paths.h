// Which guarded paths a tool call would write: the settings by which an agent's work is judged, and
// belay's own records.
//
// clang-format off
//   written                                                        guarded path is meant if
//   -------------------------------------------------------------  -----------------------------------
//   the path itself, or a path in a guarded folder                 always
//   a folder around it, below the project                          it is removed, moved, replaced, or
//                                                                  filled by a copy or an archive
//   the project's folder, or one around that                       it is removed or moved
//   a folder around it, by git checkout, restore, stash or clean   git would change or remove it: the
//                                                                  caller has to ask git
//   a pattern that matches it                                      always
//   a path with unknown parts that can be it                       its known parts, or the line itself,
//                                                                  name it
//   a path that leads to it through a link                         the caller has to resolve it
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
  bool into = false;    // if it is a folder, other writes say what in it
};

// The guarded path that a write means; nullopt: none. `line` is the command line.
std::optional<std::string> GuardedBy(const GuardedPaths& guarded, const PathWrite& write,
                                     std::string_view line);

// The guarded files in a folder that git restores or cleans; empty for other writes.
std::vector<std::string> GuardedFromGit(const GuardedPaths& guarded, const PathWrite& write);

// Whether a link at the end of the path is written itself, and not what it leads to.
bool WritesLinkItself(std::string_view by);

}  // namespace belay

#endif  // BELAY_ENGINE_SHELL_GUARDED_PATHS_H_
