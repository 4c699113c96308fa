#include "host/exec.h"

#include "cli/commands/commands.h"
#include "cli/settings.h"

namespace belay {

Result<int> RunExecCommand(const Invocation& invocation, Services& services) {
  Result<AgentId> agent = AgentId::Parse(invocation.operands().front());
  if (!agent) return Error{ErrorCode::kUsage, agent.error().message, agent.error().hint};
  BELAY_TRY_ASSIGN(const Layout project, LocateProject(invocation, services));
  return RunExec(services.files, services.clock, project, *agent);
}

}  // namespace belay
