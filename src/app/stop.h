// Stopping an agent for good, so that it isn't brought back; and releasing one that crashed, is
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
  std::vector<std::string> warnings = {};  // said already, for the record
};

// The intent is on record before anything is done, so its end counts as meant. A snapshot that
// can't be taken is a warning. kFailed when it is still there after all that; kBusy when another
// process keeps the lock under which it could be started; kNotFound when it has ended already.
Result<StopAgentOutcome> StopAgent(Env& env, const StopAgentRequest& request);

struct ReleaseAgentRequest {
  std::string agent;  // as a command line names it
};

struct ReleaseAgentOutcome {
  Identity identity;
  bool same_conversation = false;  // the successor goes on in it
  bool guarded = false;            // a guardian runs, which starts the successor
};

// Records it; the guardian does the rest. kNotFound when there is nothing to restart, or no
// worktree to restart it in.
Result<ReleaseAgentOutcome> ReleaseAgent(Env& env, const ReleaseAgentRequest& request);

}  // namespace belay

#endif  // BELAY_APP_STOP_H_
