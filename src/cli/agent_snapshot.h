// The work of an agent, kept at a moment that matters.

#ifndef BELAY_CLI_AGENT_SNAPSHOT_H_
#define BELAY_CLI_AGENT_SNAPSHOT_H_

#include <string>

#include "base/ids.h"
#include "base/result.h"
#include "guardian/snapshotter.h"
#include "os/program.h"
#include "store/layout.h"

namespace belay {

// By `belay snapshot take AGENT` as a program of its own, as the guardian does it.
Result<SnapshotOutcome> KeepWork(Programs& programs, const Layout& project,
                                 const IdentityName& agent, const std::string& message);

}  // namespace belay

#endif  // BELAY_CLI_AGENT_SNAPSHOT_H_
