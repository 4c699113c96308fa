// Stops an agent for good, so that it isn't restarted; and releases an agent that crashed, is
// quarantined or has ended, so that it is.

#ifndef BELAY_APP_STOP_H_
#define BELAY_APP_STOP_H_

#include <string>
#include <vector>

#include "app/env.h"
#include "base/result.h"
#include "model/identity.h"

namespace belay {

struct StopAgentRequest {
  std::string agent;  // as a command line names it
  bool now = false;   // without a grace, and without a snapshot before
};

struct StopAgentOutcome {
  Identity identity;
  bool ran = false;
  bool killed = false;  // it didn't end by itself
  std::vector<std::string> snapshots = {};
  std::vector<std::string> warnings = {};  // already shown; for the record
};

// The intent is recorded before anything is done, so the agent's end counts as intended. A failed
// snapshot is a warning. kFailed when it is still there after all that; kBusy when another process
// keeps the lock under which it could be started; kNotFound when it has ended already.
Result<StopAgentOutcome> StopAgent(Env& env, const StopAgentRequest& request);

struct ReleaseAgentRequest {
  std::string agent;  // as a command line names it
};

struct ReleaseAgentOutcome {
  Identity identity;
  bool same_conversation = false;  // the successor continues in it
  bool guarded = false;            // a guardian is running, which starts the successor
};

// Records it; the guardian does the rest. kNotFound when there is nothing to restart, or no
// worktree to restart it in.
Result<ReleaseAgentOutcome> ReleaseAgent(Env& env, const ReleaseAgentRequest& request);

}  // namespace belay

#endif  // BELAY_APP_STOP_H_
