#include "cli/hosted_agent.h"

#include "cli/agent_argument.h"
#include "ledger/identity_ledger.h"

namespace belay {

Result<IdentityName> FindHostedAgent(const Services& services, const Layout& project,
                                     std::string_view argument) {
  Result<IdentityName> name = IdentityName::Parse(argument);
  if (name && services.files.Inspect(project.RunFile(*name))) return name;
  IdentityLedger ledger(services.files, services.clock, project);
  return FindAgent(ledger, argument);
}

}  // namespace belay
