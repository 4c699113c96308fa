// Which repository and worktree a git is at work in that has called us by a hook: what it says in
// its environment, else what lies around the current folder.

#ifndef BELAY_MERGE_GIT_PLACE_H_
#define BELAY_MERGE_GIT_PLACE_H_

#include <string>

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

}  // namespace belay

#endif  // BELAY_MERGE_GIT_PLACE_H_
