// Whether the caller may run this command line: the only place where commands check the table
// (app/authority.h).

#ifndef BELAY_CLI_AUTHORIZE_H_
#define BELAY_CLI_AUTHORIZE_H_

#include "app/authority.h"
#include "base/result.h"
#include "cli/invocation.h"
#include "cli/services.h"
#include "model/identity_book.h"
#include "store/layout.h"

namespace belay {

// The operation of the command line: the command's, or that of a given option.
Operation OperationOf(const Invocation& invocation);

// kRefused by the table, or by the fence. Operations that all callers may do cost nothing here.
// Otherwise services.caller is set afterwards.
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
Result<Owner> OwnerOfClaim(const OwnerQuestion& question);
Result<Owner> OwnerOfTask(const OwnerQuestion& question);
Result<Owner> OwnerOfWave(const OwnerQuestion& question);
Result<Owner> OwnerOfResumed(const OwnerQuestion& question);

}  // namespace belay

#endif  // BELAY_CLI_AUTHORIZE_H_
