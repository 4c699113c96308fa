// A worktree whose folder somebody deleted, and which git still knows: git makes no other one
// there.

#ifndef BELAY_CLI_LOST_WORKTREE_H_
#define BELAY_CLI_LOST_WORKTREE_H_

#include <string>

#include "adapters/git/git.h"
#include "base/result.h"

namespace belay {

// `path` isn't there. If git knows a worktree of that path, it forgets it, and no other one; its
// branch stays. Only if it was on `branch`, since the place where another one stood may be known
// nowhere else, and only if nobody locked it: else kRefused, with what to do.
Result<void> ForgetLostWorktree(const Git& git, const std::string& path, const std::string& branch);

}  // namespace belay

#endif  // BELAY_CLI_LOST_WORKTREE_H_
