// The git process that called belay by a hook: its repository and worktree, and what its command
// line asks for.

#ifndef BELAY_MERGE_CALLING_GIT_H_
#define BELAY_MERGE_CALLING_GIT_H_

#include <string>
#include <string_view>

#include "base/result.h"
#include "merge/ref_guard.h"
#include "os/environment.h"
#include "os/file_system.h"

namespace belay {

struct GitPlace {
  std::string common_folder;
  std::string git_folder;  // its HEAD, its index
  std::string worktree;    // empty: it has none, or that can't be told
};

// kNotFound when there is none.
Result<GitPlace> FindGitPlace(const FileSystem& files, const Environment& environment,
                              const std::string& current_folder);

// What a ref says, from git's files: asking git takes too long for a hook.
Result<RefValues> ReadRefValues(const FileSystem& files, const std::string& common_folder,
                                const std::string& name);

// What a git process was told to do, from its command line as /proc has it: each word with a NUL
// behind it. An alias of the user's stands there as such.

// "merge"; empty: it can't be told.
std::string GitSubcommand(std::string_view command_line);

// Whether it is a rebase that this very git began, and that nobody has a hand in: neither one that
// goes on nor an interactive one.
bool IsWholeRebase(std::string_view command_line);

// The branch that another one is renamed to; empty: it is no such command.
std::string_view RenamedTo(std::string_view command_line);

}  // namespace belay

#endif  // BELAY_MERGE_CALLING_GIT_H_
