// A look at the processes of an agent soon after its start, as long as no hook has reported
// anything: which of them is a Claude Code, and which conversation it is in. Claude Code writes
// that into a file of its own, and removes the file when it ends; so it has to be read while it
// runs.

#ifndef BELAY_GUARDIAN_EARLY_LOOK_H_
#define BELAY_GUARDIAN_EARLY_LOOK_H_

#include <string>

#include "adapters/agent/agent_adapter.h"
#include "guardian/session_doors.h"
#include "model/identity.h"
#include "os/tree_activity.h"

namespace belay {

struct EarlyLook {
  bool claude = false;       // one runs
  std::string session = {};  // the conversation that it is in; empty: not known
};
EarlyLook LookForClaude(const SessionDoors& doors, const Identity& identity,
                        const TreeActivity& tree);

// The conversation on record, with its transcript if Claude Code has one.
Conversation KnownConversation(const SessionDoors& doors, const Identity& identity);

}  // namespace belay

#endif  // BELAY_GUARDIAN_EARLY_LOOK_H_
