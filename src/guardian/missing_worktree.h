// An agent whose worktree was deleted: starting it there fails every time, so it isn't started.

#ifndef BELAY_GUARDIAN_MISSING_WORKTREE_H_
#define BELAY_GUARDIAN_MISSING_WORKTREE_H_

#include <string>

#include "base/result.h"
#include "guardian/session_doors.h"
#include "model/identity.h"

namespace belay {

// Whether the folder that the agent works in is on record and gone.
bool LacksWorktree(const FileSystem& files, const Identity& identity);

// kNotFound when it is gone, with the commands that bring the folder or the agent back.
Result<void> CheckHasWorktree(const SessionDoors& doors, const Identity& identity);

// "git worktree add /app-login login": makes the worktree again. git's own files say which branch
// was checked out there, as long as git remembers that worktree; else it says BRANCH.
std::string RestoreWorktreeCommand(const SessionDoors& doors, const Identity& identity);

}  // namespace belay

#endif  // BELAY_GUARDIAN_MISSING_WORKTREE_H_
