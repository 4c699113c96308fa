// Where an agent works: an existing worktree, or one that is made for it. If the worktree was
// deleted, every start there would fail, so the agent isn't started.

#ifndef BELAY_APP_AGENT_WORKTREE_H_
#define BELAY_APP_AGENT_WORKTREE_H_

#include <string>

#include "app/env.h"
#include "base/ids.h"
#include "base/result.h"
#include "model/identity.h"
#include "store/layout.h"

namespace belay {

// `path` as seen from the current folder: the root of a worktree of this repository; outside a
// repository, a folder inside the project. Anything else: kUsage. Returns it with links resolved.
Result<std::string> FindAgentWorktree(const Env& env, const Layout& project,
                                      const std::string& path);

struct MadeWorktree {
  std::string path;
  bool is_new;
  bool branch_is_new = false;
};
// A worktree at Layout::NewWorktree on that branch, which is created from HEAD if it doesn't exist.
// An existing worktree there on that branch is used; anything else there, or a branch that is
// checked out in another worktree: kRefused.
Result<MadeWorktree> MakeAgentWorktree(Env& env, const Layout& project, const IdentityName& agent,
                                       const std::string& branch);

// Removes a worktree that was just made, and its branch if that was made with it. Only if nothing
// was written in it; else an error, and everything stays.
Result<void> RemoveFreshWorktree(const Env& env, const Layout& project, const MadeWorktree& made,
                                 const std::string& branch);

// Whether the agent's folder is on record and gone.
bool LacksWorktree(const FileSystem& files, const Identity& identity);

// kNotFound when it is gone, with the commands that restore the folder or the agent.
Result<void> CheckHasWorktree(const SessionEnv& session, const Identity& identity);

// "git worktree add /app-login login": makes the worktree again. git's own files name the branch
// that was checked out there, as long as git remembers that worktree; else the command has BRANCH.
std::string RestoreWorktreeCommand(const SessionEnv& session, const Identity& identity);

}  // namespace belay

#endif  // BELAY_APP_AGENT_WORKTREE_H_
