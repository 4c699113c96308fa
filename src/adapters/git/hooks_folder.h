// Where git looks for hooks.

#ifndef BELAY_ADAPTERS_GIT_HOOKS_FOLDER_H_
#define BELAY_ADAPTERS_GIT_HOOKS_FOLDER_H_

#include <string>

#include "adapters/git/git.h"
#include "base/result.h"

namespace belay {

// Of the worktree that `git` runs in: what core.hooksPath says, else that of the repository. A
// relative core.hooksPath means another folder in each worktree. It need not be there.
Result<std::string> HooksFolder(const Git& git);

}  // namespace belay

#endif  // BELAY_ADAPTERS_GIT_HOOKS_FOLDER_H_
