#include "app/hosted_agent.h"
#include "cli/commands/commands.h"

namespace belay {

Result<int> RunExecCommand(const Invocation& invocation, Services& services) {
  Result<AgentId> agent = AgentId::Parse(invocation.operands().front());
  if (!agent) return Error{ErrorCode::kUsage, agent.error().message, agent.error().hint};
  return ExecAgent(services, *agent);
}

}  // namespace belay
