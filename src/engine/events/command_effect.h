// What a command does to files, as far as its words tell.
//
// clang-format off
//   edits                                                looks
//   ---------------------------------------------------  ------------------------------------------
//   cp, ln, mv, patch, rm, touch, truncate; git apply,   cat, ls, grep and their like; git log,
//     mv and rm; tee with a file                           diff, status ...
//   sed -i, perl -i, awk -i inplace, sort -o             sed, awk and sort otherwise
//   find -delete; find -exec and fd -x with an edit      find and fd otherwise, if what they run looks
// clang-format on
//
// Of anything else nothing is said.

#ifndef BELAY_ENGINE_EVENTS_COMMAND_EFFECT_H_
#define BELAY_ENGINE_EVENTS_COMMAND_EFFECT_H_

#include <span>
#include <string>
#include <string_view>

namespace belay {

enum class CommandEffect { kUnknown, kLooks, kEdits };

// `words` may be empty. Redirections are judged elsewhere (shell_line.h).
CommandEffect EffectOf(std::span<const std::string> words);

// What git is told to do: `git -C x commit` is a commit. Empty if it isn't git.
std::string_view GitVerb(std::span<const std::string> words);

}  // namespace belay

#endif  // BELAY_ENGINE_EVENTS_COMMAND_EFFECT_H_
