// A look at the processes of an agent soon after its start, as long as no hook has reported
// anything: which of them is of a kind that has hooks, and which conversation it is in. A program
// may write that into a file of its own, and remove the file when it ends; so it has to be read
// while it runs.

#ifndef BELAY_APP_EARLY_LOOK_H_
#define BELAY_APP_EARLY_LOOK_H_

#include <optional>
#include <string>

#include "adapters/agent/agent_adapter.h"
#include "app/session_doors.h"
#include "model/identity.h"
#include "os/process_tree.h"

namespace belay {

struct EarlyLook {
  std::optional<AgentKind> kind = {};  // that runs
  std::string session = {};            // the conversation that it is in; empty: not known
};
EarlyLook LookForAgent(const SessionDoors& doors, const Identity& identity,
                       const TreeActivity& tree);

// The conversation on record, with its transcript if its program has one.
Conversation KnownConversation(const SessionDoors& doors, const Identity& identity);

}  // namespace belay

#endif  // BELAY_APP_EARLY_LOOK_H_
