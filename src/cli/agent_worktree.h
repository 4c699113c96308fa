// Where a new agent works: a worktree that is there, or one that is made for it.

#ifndef BELAY_CLI_AGENT_WORKTREE_H_
#define BELAY_CLI_AGENT_WORKTREE_H_

#include <string>

#include "base/ids.h"
#include "base/result.h"
#include "cli/services.h"
#include "store/layout.h"

namespace belay {

// `path` as seen from the current folder: the root of a worktree of this repository; outside of a
// repository, a folder inside the project. Anything else: kUsage. Gives it without links.
Result<std::string> FindAgentWorktree(const Services& services, const Layout& project,
                                      const std::string& path);

struct MadeWorktree {
  std::string path;
  bool is_new;
  bool branch_is_new = false;
};
// A worktree at Layout::NewWorktree on that branch, which is made from HEAD if there is none. One
// that is there already, on that branch, is used; anything else that is there, or a branch that
// another worktree is on: kRefused.
Result<MadeWorktree> MakeAgentWorktree(Services& services, const Layout& project,
                                       const IdentityName& agent, const std::string& branch);

// Removes a worktree that was just made, and its branch if that was made with it. Only as long as
// nothing was written in it; else an error, and all of it stays.
Result<void> RemoveFreshWorktree(const Services& services, const Layout& project,
                                 const MadeWorktree& made, const std::string& branch);

}  // namespace belay

#endif  // BELAY_CLI_AGENT_WORKTREE_H_
