#include <fmt/core.h>

#include "app/stop.h"
#include "cli/commands/commands.h"

namespace belay {
namespace {

std::string Text(const ReleaseAgentOutcome& agent) {
  const Identity& released = agent.identity;
  const bool continues = !released.restart.reason.empty();
  return fmt::format(
      "{} is {}; {} starts its successor, which {}\n", released.id.text(),
      continues ? "continued" : "released",
      agent.guarded ? "the guardian" : "no guardian runs, belay guard",
      agent.same_conversation ? "continues its conversation" : "starts again with the resume text");
}

}  // namespace

Result<int> RunRelease(const Invocation& invocation, Services& services) {
  BELAY_TRY_ASSIGN(const ReleaseAgentOutcome agent,
                   ReleaseAgent(services, {invocation.operands()[0]}));
  services.io.Show(MakeObject({{"agent_id", agent.identity.id.text()},
                               {"status", AgentStatusName(agent.identity.status)},
                               {"guarded", agent.guarded},
                               {"same_conversation", agent.same_conversation}}),
                   Text(agent));
  return 0;
}

}  // namespace belay
