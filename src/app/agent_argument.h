// The operand AGENT: `role-name`, or `name` where only one identity is called so; either with the
// incarnation that is meant, as in `login#3`.

#ifndef BELAY_APP_AGENT_ARGUMENT_H_
#define BELAY_APP_AGENT_ARGUMENT_H_

#include <string_view>

#include "base/ids.h"
#include "base/result.h"
#include "ledger/identity_ledger.h"

namespace belay {

// The incarnation that is named, which may have ended long ago, or the present one. Nobody:
// kNotFound, with the nearest name; several: kUsage, naming them.
Result<AgentId> ResolveIncarnation(const IdentityBook& book, std::string_view argument);
// For what is done to an agent: one before the present incarnation is kNotFound, naming that.
Result<IdentityName> ResolvePresent(const IdentityBook& book, std::string_view argument);

// Bring the ledger up to date, without its lock, and find who is meant.
Result<IdentityName> FindAgent(IdentityLedger& ledger, std::string_view argument);
Result<AgentId> FindIncarnation(IdentityLedger& ledger, std::string_view argument);

}  // namespace belay

#endif  // BELAY_APP_AGENT_ARGUMENT_H_
