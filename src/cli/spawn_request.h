// What a command line asks `belay spawn` for, checked before anything is changed.

#ifndef BELAY_CLI_SPAWN_REQUEST_H_
#define BELAY_CLI_SPAWN_REQUEST_H_

#include "base/result.h"
#include "cli/invocation.h"
#include "cli/services.h"
#include "guardian/incarnation.h"
#include "store/layout.h"

namespace belay {

// Everything but the worktree. A name, a host or a text that can't be: kUsage.
Result<NewAgent> ParseSpawnRequest(const Invocation& invocation, const Services& services);

// One that continues takes what the command line leaves open from the record of the agent before
// it: command, kind, worktree, task, whether it is brought back. kNotFound when there is none.
Result<void> TakeFromRecord(const Invocation& invocation, const SessionDoors& doors,
                            NewAgent& agent);

// Decides where it works, and makes that if asked; gives whether it did. The command is looked for
// first (kNotFound). Where only a new worktree can have it, that is made, and removed again if the
// command isn't there.
Result<bool> ChooseWorktree(const Invocation& invocation, Services& services, const Layout& project,
                            NewAgent& agent);

}  // namespace belay

#endif  // BELAY_CLI_SPAWN_REQUEST_H_
