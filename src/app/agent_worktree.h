// Where an agent works: a worktree that is there, or one that is made for it. If it was deleted,
// starting the agent there fails every time, so it isn't started.

#ifndef BELAY_APP_AGENT_WORKTREE_H_
#define BELAY_APP_AGENT_WORKTREE_H_

#include <string>

#include "app/env.h"
#include "app/session_env.h"
#include "base/ids.h"
#include "base/result.h"
#include "model/identity.h"
#include "store/layout.h"

namespace belay {

// `path` as seen from the current folder: the root of a worktree of this repository; outside of a
// repository, a folder inside the project. Anything else: kUsage. Gives it without links.
Result<std::string> FindAgentWorktree(const Env& env, const Layout& project,
                                      const std::string& path);

struct MadeWorktree {
  std::string path;
  bool is_new;
  bool branch_is_new = false;
};
// A worktree at Layout::NewWorktree on that branch, which is made from HEAD if there is none. One
// that is there already, on that branch, is used; anything else that is there, or a branch that
// another worktree is on: kRefused.
Result<MadeWorktree> MakeAgentWorktree(Env& env, const Layout& project, const IdentityName& agent,
                                       const std::string& branch);

// Removes a worktree that was just made, and its branch if that was made with it. Only as long as
// nothing was written in it; else an error, and all of it stays.
Result<void> RemoveFreshWorktree(const Env& env, const Layout& project, const MadeWorktree& made,
                                 const std::string& branch);

// Whether the folder that the agent works in is on record and gone.
bool LacksWorktree(const FileSystem& files, const Identity& identity);

// kNotFound when it is gone, with the commands that bring the folder or the agent back.
Result<void> CheckHasWorktree(const SessionEnv& session, const Identity& identity);

// "git worktree add /app-login login": makes the worktree again. git's own files say which branch
// was checked out there, as long as git remembers that worktree; else it says BRANCH.
std::string RestoreWorktreeCommand(const SessionEnv& session, const Identity& identity);

}  // namespace belay

#endif  // BELAY_APP_AGENT_WORKTREE_H_
