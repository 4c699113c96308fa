// The operand AGENT of commands that are about what `belay exec` runs or ran.

#ifndef BELAY_APP_HOSTED_AGENT_H_
#define BELAY_APP_HOSTED_AGENT_H_

#include <optional>
#include <string>
#include <string_view>

#include "app/env.h"
#include "base/ids.h"
#include "base/result.h"
#include "model/identity.h"
#include "store/layout.h"

namespace belay {

enum class Incarnations { kPresent, kAny };

// `role-name` when something of that name ran here, whatever the journal says: the log of an agent
// must be readable also when the journal isn't. Else who is meant according to the ledger
// (app/agent_argument.h); with kAny an incarnation that has ended may be named too.
Result<IdentityName> FindHostedAgent(const Env& env, const Layout& project,
                                     std::string_view argument, Incarnations which);

// Whether the journal knows that it, or an incarnation before it, was started.
bool HasStarted(const Env& env, const Layout& project, const IdentityName& agent);

// kProcess when the journal doesn't know: something of that name ran here.
AgentHost RecordedHost(const Env& env, const Layout& project, const IdentityName& agent);

// "orchestrator-login has ended: exit code 3"; it could not be started, and why; it has not run
// yet. Nothing when it runs.
std::optional<std::string> WhyNotRunning(const Env& env, const Layout& project,
                                         const IdentityName& agent);

}  // namespace belay

#endif  // BELAY_APP_HOSTED_AGENT_H_
