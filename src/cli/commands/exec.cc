#include "host/exec.h"

#include "app/authority.h"
#include "app/settings.h"
#include "cli/commands/commands.h"

namespace belay {

Result<int> RunExecCommand(const Invocation& invocation, Services& services) {
  Result<AgentId> agent = AgentId::Parse(invocation.operands().front());
  if (!agent) return Error{ErrorCode::kUsage, agent.error().message, agent.error().hint};
  BELAY_TRY_ASSIGN(const Layout project, LocateProject(services));
  const auto admits = [&](const Peer& peer) {
    return MayAttach(services.files, services.clock, project, peer);
  };
  return RunExec(services.files, services.clock, project, *agent, admits);
}

}  // namespace belay
