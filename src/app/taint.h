// Which session's taint is meant, whether it counts as tainted, and marking it.

#ifndef BELAY_APP_TAINT_H_
#define BELAY_APP_TAINT_H_

#include <optional>
#include <string>

#include "app/env.h"
#include "base/ids.h"
#include "base/result.h"
#include "model/identity_book.h"
#include "model/taint.h"

namespace belay {

struct TaintSession {
  std::string name;                   // as records have it
  std::optional<AgentId> agent = {};  // nothing: the manual session
};

// The named session (an agent's present incarnation, or the one given with #), else the caller's. A
// stranger has none: kUsage.
Result<TaintSession> FindTaintSession(const Env& env, const Layout& project,
                                      const IdentityBook& book,
                                      const std::optional<std::string>& named);

// An agent without a record counts as tainted, a person without one as clean. Records that can't be
// parsed make both tainted.
Taint EffectiveTaint(const TaintBook& book, const TaintSession& session);

struct MarkTaintRequest {
  std::optional<std::string> agent = {};  // for FindTaintSession
  std::string source;
  std::string tool = {};  // empty: named after the caller
};
struct TaintOutcome {
  std::string session;
  Taint taint;
};
// Durable before anything shows it; a failure to show it (in its hook, its identity, taint.json) is
// only reported. If the session has got a successor by then, the successor is tainted too.
Result<TaintOutcome> MarkTaint(Env& env, const MarkTaintRequest& request);

// For FindTaintSession. What can't be read counts as tainted.
Result<TaintOutcome> ReadTaint(const Env& env, const std::optional<std::string>& agent);

}  // namespace belay

#endif  // BELAY_APP_TAINT_H_
