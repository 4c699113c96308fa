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
//   a folder around it, by git checkout, restore, stash, reset     git would change or remove it: the
//   --hard or clean                                                caller has to ask git
//   a pattern that matches it, or that find or git match           always
//   a path with unknown parts that can be it                       its known parts, or the line itself,
//                                                                  name it
//   not known: a program that isn't in the table, or a script      the path is one of its arguments
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
  bool common = false;  // other folders have files of that name, too
};

struct GuardedPaths {
  std::string root;  // of the project
  std::vector<GuardedPath> paths;
};

struct PathWrite {
  std::string path;     // absolute, with unknown parts (effects.h)
  std::string by = {};  // the program
  // As in ShellEffect.
  bool into = false;
  bool removes = false;
  bool fills = false;
  std::string from = {};
};

PathWrite WriteOf(const ShellEffect& effect);  // a kWrite

// The guarded path that a write means; nullopt: none. `line` is the command line.
std::optional<std::string> GuardedBy(const GuardedPaths& guarded, const PathWrite& write,
                                     std::string_view line);

// The guarded path that is an argument of a program which may do anything with it.
std::optional<std::string> GuardedArgument(const GuardedPaths& guarded, const ShellEffect& run);

// The guarded path that the effects of a line write, without asking git and the disk.
std::optional<std::string> GuardedByLine(const GuardedPaths& guarded,
                                         std::span<const ShellEffect> effects,
                                         std::string_view line);

// The guarded files that git may restore, reset or clean by this write; empty for other writes.
std::vector<std::string> GuardedFromGit(const GuardedPaths& guarded, const PathWrite& write);

// Whether a link at the end of the path is written itself, and not what it leads to.
bool WritesLinkItself(const PathWrite& write);

}  // namespace belay

#endif  // BELAY_ENGINE_SHELL_GUARDED_PATHS_H_
