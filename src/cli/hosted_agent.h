// The operand AGENT of commands that are about what `belay exec` runs or ran.

#ifndef BELAY_CLI_HOSTED_AGENT_H_
#define BELAY_CLI_HOSTED_AGENT_H_

#include <optional>
#include <string>
#include <string_view>

#include "base/ids.h"
#include "base/result.h"
#include "cli/services.h"
#include "store/layout.h"

namespace belay {

enum class Incarnations { kPresent, kAny };

// `role-name` when something of that name ran here, whatever the journal says: the log of an agent
// must be readable also when the journal isn't. Else who is meant according to the ledger
// (cli/agent_argument.h); with kAny an incarnation that has ended may be named too.
Result<IdentityName> FindHostedAgent(const Services& services, const Layout& project,
                                     std::string_view argument, Incarnations which);

// Whether the journal knows that it, or an incarnation before it, was started.
bool HasStarted(const Services& services, const Layout& project, const IdentityName& agent);

// "orchestrator-login has ended: exit code 3"; it could not be started, and why; it has not run
// yet. Nothing when it runs.
std::optional<std::string> WhyNotRunning(const Services& services, const Layout& project,
                                         const IdentityName& agent);

}  // namespace belay

#endif  // BELAY_CLI_HOSTED_AGENT_H_
