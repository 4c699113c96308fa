// Whose taint a command means, and what counts for it.

#ifndef BELAY_CLI_TAINT_SESSION_H_
#define BELAY_CLI_TAINT_SESSION_H_

#include <optional>
#include <string>

#include "base/ids.h"
#include "base/result.h"
#include "cli/invocation.h"
#include "cli/services.h"
#include "codec/json.h"
#include "guardian/caller.h"
#include "model/identity_book.h"
#include "model/taint.h"

namespace belay {

struct TaintSession {
  std::string name;                   // as records have it
  std::optional<AgentId> agent = {};  // nothing: the manual session
  Caller caller = {};                 // who asks
};

// --agent (its present incarnation, or the one that is named with #), else whoever runs the
// command.
Result<TaintSession> FindTaintSession(const Invocation& invocation, const Services& services,
                                      const IdentityBook& book);

// An agent without a record counts as tainted, people without one as clean. Records that can't be
// understood make both tainted.
Taint TaintThatCounts(const TaintBook& book, const TaintSession& session);

// {"session", "state", "sources", ..., "enforcement"}; nothing is enforced yet, and it says so.
Json TaintJson(const Taint& taint, const std::string& session);
std::string TaintText(const Taint& taint, const std::string& session, const Style& style);

}  // namespace belay

#endif  // BELAY_CLI_TAINT_SESSION_H_
