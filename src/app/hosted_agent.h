// Operations on an agent that `belay exec` runs or ran: its terminal, its log, the exec itself.
//
// `role-name` is accepted if an agent of that name ran here, whatever the journal says: the log of
// an agent must be readable even when the journal isn't.

#ifndef BELAY_APP_HOSTED_AGENT_H_
#define BELAY_APP_HOSTED_AGENT_H_

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "app/env.h"
#include "base/ids.h"
#include "base/result.h"
#include "host/attach.h"

namespace belay {

struct AttachOutcome {
  IdentityName agent;
  Attached attached;
};
// Connects this terminal with the agent's until either side ends it. No terminal: kUsage; an agent
// that doesn't run: kNotFound, with the reason.
Result<AttachOutcome> AttachToAgent(Env& env, std::string_view agent);

struct AgentLogRequest {
  std::string agent;  // as on a command line; an incarnation that has ended is allowed
  bool follow = false;
  std::optional<int> out_pipe = {};                    // following ends when its reader is gone
  std::function<Result<void>(std::string_view)> take;  // one piece, at once
};
// Everything that the agent wrote. Follows until the exec that writes the log has ended.
Result<void> ReadAgentLog(Env& env, const AgentLogRequest& request);

// `belay exec`: the agent's parent for as long as the agent lives. Returns the exit code.
Result<int> ExecAgent(Env& env, const AgentId& agent);

}  // namespace belay

#endif  // BELAY_APP_HOSTED_AGENT_H_
