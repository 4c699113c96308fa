// The operand AGENT: `role-name`, or `name` where only one identity is called so.

#ifndef BELAY_CLI_AGENT_ARGUMENT_H_
#define BELAY_CLI_AGENT_ARGUMENT_H_

#include <string_view>

#include "base/ids.h"
#include "base/result.h"
#include "ledger/identity_ledger.h"

namespace belay {

// Brings the ledger up to date, without its lock, and finds who is meant. Nobody: kNotFound, with
// the nearest name; several: kUsage, naming them.
Result<IdentityName> FindAgent(IdentityLedger& ledger, std::string_view argument);

}  // namespace belay

#endif  // BELAY_CLI_AGENT_ARGUMENT_H_
