// `belay exec`: the parent of one agent for as long as it lives. It gives it a terminal, keeps a
// log of what it writes there, lets people attach, reaps it and all that it leaves behind, and
// writes down how it ended. It decides nothing, and stays small: there is one for each agent.
//
//   1. take Layout::RunLock (waiting a few seconds for an earlier exec to end); refuse if the run
//      record is of this or a later incarnation, or if the agent of an earlier one still runs
//   2. run record: starting
//   3. become a subreaper; open the terminal; fork the agent, held back behind a pipe
//   4. run record: running, with its pid; then let it go (if we die before, it ends by itself)
//   5. until it ends: terminal to log and to those attached, their keys and sizes to the terminal
//   6. run record: ended
//   7. whoever is left of its process tree: TERM, after a grace KILL; named in the run record
//
// SIGTERM to exec is passed on to the agent. The log is bounded: Layout::RunLog and one before it.

#ifndef BELAY_HOST_EXEC_H_
#define BELAY_HOST_EXEC_H_

#include "base/ids.h"
#include "base/result.h"
#include "host/attach_server.h"
#include "os/clock.h"
#include "os/file_system.h"
#include "store/layout.h"

namespace belay {

// The exit code: that of the agent, or 128 + signal. `admits` judges each process that wants to
// attach.
Result<int> RunExec(FileSystem& files, const Clock& clock, const Layout& project,
                    const AgentId& agent, const AttachServer::Admits& admits);

}  // namespace belay

#endif  // BELAY_HOST_EXEC_H_
