// Everything that was recorded about one identity, in the journal of any family.

#ifndef BELAY_CLI_AGENT_HISTORY_H_
#define BELAY_CLI_AGENT_HISTORY_H_

#include "base/ids.h"
#include "cli/history.h"
#include "os/file_system.h"
#include "store/layout.h"

namespace belay {

// Heartbeats, and what making a journal short repeats, are left out.
History ReadAgentHistory(FileSystem& files, const Layout& project, const IdentityName& agent);

}  // namespace belay

#endif  // BELAY_CLI_AGENT_HISTORY_H_
