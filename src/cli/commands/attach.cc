#include <fmt/core.h>

#include "app/hosted_agent.h"
#include "cli/commands/commands.h"
#include "ui/width.h"

namespace belay {
namespace {

std::string Farewell(const IdentityName& agent, const Attached& attached) {
  switch (attached.end) {
    case AttachEnd::kDetached:
      return fmt::format("detached; {} keeps running", agent.text());
    case AttachEnd::kAgentEnded:
      return fmt::format("{} has ended: {}", agent.text(), Printable(attached.how));
    case AttachEnd::kLostContact:
      return fmt::format("the connection to {} was lost", agent.text());
  }
  __builtin_unreachable();
}

}  // namespace

Result<int> RunAttach(const Invocation& invocation, Services& services) {
  BELAY_TRY_ASSIGN(const AttachOutcome outcome,
                   AttachToAgent(services, invocation.operands().front()));
  // The agent left the cursor where it was.
  services.io.Say(fmt::format("\n{}", Farewell(outcome.agent, outcome.attached)));
  return outcome.attached.end == AttachEnd::kLostContact ? ExitCode(ErrorCode::kFailed) : 0;
}

}  // namespace belay
