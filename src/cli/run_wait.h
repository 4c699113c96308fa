// Waiting for what `belay exec` writes down about an agent, by event.

#ifndef BELAY_CLI_RUN_WAIT_H_
#define BELAY_CLI_RUN_WAIT_H_

#include <optional>

#include "base/result.h"
#include "guardian/session_doors.h"
#include "host/run_record.h"
#include "os/event_loop.h"
#include "os/process.h"

namespace belay {

// Until the incarnation runs its own program, has ended or could not be started, or its exec, if we
// started it, is gone; at most `limit`. Gives its run record as it is then, if there is one.
Result<std::optional<RunRecord>> WaitForStart(EventLoop& loop, const SessionDoors& doors,
                                              const AgentId& agent,
                                              const std::optional<Process>& exec, Duration limit);

}  // namespace belay

#endif  // BELAY_CLI_RUN_WAIT_H_
