// Whether the command on the line may be run by its caller: the one place where commands ask the
// table (app/authority.h).

#ifndef BELAY_CLI_AUTHORIZE_H_
#define BELAY_CLI_AUTHORIZE_H_

#include "app/authority.h"
#include "base/result.h"
#include "cli/invocation.h"
#include "cli/services.h"
#include "model/identity_book.h"
#include "store/layout.h"

namespace belay {

// What the line does: the command's operation, or the one of an option that is given.
Operation OperationOf(const Invocation& invocation);

// kRefused by the table, or by the fence. What everybody may do costs nothing here. Otherwise
// services.caller is known afterwards.
Result<void> Authorize(const Invocation& invocation, Services& services);

// Whose things an agent's command line is about. An operand that names nothing: its error. A
// stranger owns nothing, whatever the answer.
struct OwnerQuestion {
  const Invocation& invocation;
  Services& services;
  const Layout& project;
  const IdentityBook& book;
  const Caller& caller;
};
Result<Owner> OwnerOfAgentOperand(const OwnerQuestion& question);
Result<Owner> OwnerOfNewAgent(const OwnerQuestion& question);
Result<Owner> OwnerOfInbox(const OwnerQuestion& question);
Result<Owner> OwnerOfTaint(const OwnerQuestion& question);
Result<Owner> OwnerOfEntry(const OwnerQuestion& question);
Result<Owner> OwnerOfQueuedWork(const OwnerQuestion& question);
Result<Owner> OwnerOfRestored(const OwnerQuestion& question);

}  // namespace belay

#endif  // BELAY_CLI_AUTHORIZE_H_
