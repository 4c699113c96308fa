#include "cli/agent_argument.h"

namespace belay {

Result<IdentityName> FindAgent(IdentityLedger& ledger, std::string_view argument) {
  BELAY_TRY(ledger.CatchUp());
  if (ledger.book().entries().empty()) {
    return Error{ErrorCode::kNotFound, "there are no agents in this project",
                 "belay spawn starts one"};
  }
  return ResolveAgent(ledger.book(), argument);
}

}  // namespace belay
