// The git process that called belay through a hook: its repository and worktree, and its command
// line.

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
  std::string git_folder;  // with its HEAD and index
  std::string worktree;    // empty: none, or unknown
};

// kNotFound when there is none.
Result<GitPlace> FindGitPlace(const FileSystem& files, const Environment& environment,
                              const std::string& current_folder);

// The values of a ref, read from git's files: running git takes too long for a hook.
Result<RefValues> ReadRefValues(const FileSystem& files, const std::string& common_folder,
                                const std::string& name);

// Interprets the command line of a git process, as in /proc: each word ends with a NUL. A user's
// alias appears unexpanded.

// "merge"; empty: unknown.
std::string GitSubcommand(std::string_view command_line);

// Whether this git began a rebase that runs without the user's help: neither a continued nor an
// interactive one.
bool IsWholeRebase(std::string_view command_line);

// The new name of a renamed branch; empty: no such command.
std::string_view RenamedTo(std::string_view command_line);

}  // namespace belay

#endif  // BELAY_MERGE_CALLING_GIT_H_
