// `belay exec`: the parent of one agent for as long as it lives. It gives the agent a terminal,
// logs its output, lets users attach, reaps it and its orphans, and records how it ended. It makes
// no decisions, and stays small: there is one for each agent.
//
//   1. take Layout::RunLock (waiting a few seconds for an earlier exec to end); refuse if the run
//      record is of this or a later incarnation, or if the agent of an earlier one still runs
//   2. run record: starting
//   3. become a subreaper; open the terminal; fork the agent, which waits on a socket
//   4. run record: running, with its pid; then release it (if we die before, it exits by itself)
//   5. until it ends: output to the log and to clients, their keys and sizes to the terminal
//   6. run record: ended
//   7. the rest of its process tree: TERM, after a grace period KILL; listed in the run record
//
// SIGTERM to exec is passed on to the agent. The log is bounded: Layout::RunLog and the one before
// it.

#ifndef BELAY_HOST_EXEC_H_
#define BELAY_HOST_EXEC_H_

#include "base/ids.h"
#include "base/result.h"
#include "host/attach_server.h"
#include "os/clock.h"
#include "os/file_system.h"
#include "store/layout.h"

namespace belay {

// Returns the agent's exit code, or 128 + signal. `admits` decides which processes may attach.
Result<int> RunExec(FileSystem& files, const Clock& clock, const Layout& project,
                    const AgentId& agent, const AttachServer::Admits& admits);

}  // namespace belay

#endif  // BELAY_HOST_EXEC_H_
