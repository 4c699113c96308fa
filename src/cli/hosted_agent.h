// The operand AGENT of commands that are about what `belay exec` runs or ran.

#ifndef BELAY_CLI_HOSTED_AGENT_H_
#define BELAY_CLI_HOSTED_AGENT_H_

#include <string_view>

#include "base/ids.h"
#include "base/result.h"
#include "cli/services.h"
#include "store/layout.h"

namespace belay {

// `role-name` when something of that name ran here, whatever the journal says: the log of an agent
// must be readable also when the journal isn't. Else who is meant according to the ledger
// (cli/agent_argument.h).
Result<IdentityName> FindHostedAgent(const Services& services, const Layout& project,
                                     std::string_view argument);

}  // namespace belay

#endif  // BELAY_CLI_HOSTED_AGENT_H_
