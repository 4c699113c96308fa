// What a git process was told to do, from its command line as /proc has it: each word with a NUL
// behind it. An alias of the user's stands there as such.

#ifndef BELAY_MERGE_GIT_WORDS_H_
#define BELAY_MERGE_GIT_WORDS_H_

#include <string>
#include <string_view>

namespace belay {

// "merge"; empty: it can't be told.
std::string GitSubcommand(std::string_view command_line);

// Whether it is a rebase that this very git began, and that nobody has a hand in: neither one that
// goes on nor an interactive one.
bool IsWholeRebase(std::string_view command_line);

// The branch that another one is renamed to; empty: it is no such command.
std::string_view RenamedTo(std::string_view command_line);

}  // namespace belay

#endif  // BELAY_MERGE_GIT_WORDS_H_
