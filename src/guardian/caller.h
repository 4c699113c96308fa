// Who speaks: an agent, or a person. Asked by a command about itself, and by the guardian about
// whoever is at the other end of its socket.
//
// Proven is what the kernel says: it is the child, however deep, of a process that is recorded for
// an agent (its own, or the `belay exec` above it). $BELAY_AGENT_ID is only a claim. Inside an
// agent's tree it must agree. Outside of all of them it is believed, since it can only take rights
// away: what can't be proven counts as an agent. Without either it is a person, also in a script.
//
// A process can't leave its tree as long as the exec above it lives, which is a subreaper. Whoever
// has the user's own rights can edit files and environments: this keeps agents from doing what
// isn't theirs by mistake, or because a text told them to; it is no wall.

#ifndef BELAY_GUARDIAN_CALLER_H_
#define BELAY_GUARDIAN_CALLER_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "ledger/identity_ledger.h"
#include "model/identity_book.h"
#include "model/signal.h"
#include "os/environment.h"
#include "os/process_identity.h"

namespace belay {

struct Caller {
  Party party = Party::kPerson;
  std::optional<AgentId> agent = {};  // of kAgent
  bool proven = false;                // by its ancestors

  std::string Name() const;  // "orchestrator-login#3", "person"
  // Whether it is that agent, in any incarnation.
  bool Is(const IdentityName& name) const { return agent && agent->identity() == name; }

  bool operator==(const Caller&) const = default;
};

// That process first, then its parent, and so on.
std::vector<ProcessIdentity> Ancestors(pid_t pid);

// Pure. A claim that is no agent id, or another than the one whose tree it is: kRefused. So is a
// child of the guardian that doesn't say which agent it belongs to.
Result<Caller> JudgeCaller(const IdentityBook& book, std::span<const ProcessIdentity> ancestors,
                           const std::optional<std::string>& claim);
Result<Caller> FindCaller(const IdentityBook& book, const Environment& environment);

// The fence: an incarnation that has ended, or was never recorded, changes nothing any more.
// kRefused, and `what` it tried ("note") is noted in the journal. People may do it.
Result<void> CheckFence(FileSystem& files, const Layout& project, IdentityLedger& ledger,
                        const Caller& caller, std::string_view what);

}  // namespace belay

#endif  // BELAY_GUARDIAN_CALLER_H_
