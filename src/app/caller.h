// Identifies the caller: an agent, or a person. A command asks about itself, the guardian about the
// process at the other end of its socket.
//
// An agent is proven by the kernel: it descends from a process that is recorded for that agent (its
// own, or the `belay exec` above it). $BELAY_AGENT_ID is only a claim. Inside an agent's tree it
// must agree with the tree. Outside all trees it is believed, since it can only take rights away;
// so is a claim that an ancestor was started with, even if it was removed since.
//
// A session that was started without belay is the agent that its hooks registered, below the
// process that they named. Nothing proves it, but it is not a person, and not another agent. So it
// counts only if no ancestor says otherwise.
//
// A stranger is an agent without a record here, which owns nothing: a process of an agent of
// another project, of a gate, or of any other program that belay started and that isn't on record.
// It is recognised by what its ancestors were started with (another project's $BELAY_AGENT_ID,
// $BELAY_GATE), and by a belay among its ancestors: belay doesn't start people.
//
// Without any of these the caller is a person, also in a script. A person is proven only by a
// terminal, and by a complete list of ancestors none of which was started for an agent of any
// project. A caller that isn't proven counts as an agent: it may not send what only a person may
// (signals.h). A process whose ancestors can't all be read is refused, whatever it claims.
//
// In a new pid namespace a process doesn't see its ancestors. So where an agent or the guardian
// runs in another namespace than the caller, the caller is refused. Where all of them are in one,
// as in a container, nothing changes.
//
// A process can't leave its tree as long as the exec above it lives, since that is a subreaper; so
// is the belay above a gate. A program with the user's own rights can edit files and environments,
// and open terminals: this keeps agents from acting outside their own work by mistake, or because a
// text asked for it; it is not a security boundary.

#ifndef BELAY_APP_CALLER_H_
#define BELAY_APP_CALLER_H_

#include <optional>
#include <string>
#include <string_view>

#include "base/ids.h"
#include "base/result.h"
#include "ledger/identity_ledger.h"
#include "model/identity_book.h"
#include "model/signal.h"
#include "os/environment.h"
#include "os/process_tree.h"
#include "os/socket.h"

namespace belay {

struct Caller {
  Party party = Party::kPerson;
  std::optional<AgentId> agent = {};  // of kAgent; nothing: a stranger
  bool proven = false;                // to be that agent, or to be a person
  bool guardian =
      false;  // `agent` is the guardian: itself, or a program that it started for itself
  std::string_view stranger = {};  // "a gate": what it is, if it has no record here

  std::string Name() const;  // "orchestrator-login#3", "person", "a gate"
  bool IsPerson() const { return party == Party::kPerson; }

  bool operator==(const Caller&) const = default;
};

// How the project's processes are recognised, apart from its records.
struct ProjectMarks {
  std::string root = {};   // of `belay exec --root`
  std::string state = {};  // the value of $BELAY_STATE
  // The file of belay itself; others are recognised by names like belay-2.
  std::string program = {};
  // An agent or a guardian that runs in another pid namespace (CheckInSight); empty: none does.
  std::string out_of_sight = {};
};
ProjectMarks MarksOf(const Layout& project);
// For a caller that identifies itself: also whether it may have left the agents' pid namespace.
ProjectMarks MarksHere(const FileSystem& files, const Layout& project, const IdentityBook& book);

// Pure. kRefused: a claim that is not an agent id, or that differs from the agent whose tree it is
// in, and a child of the guardian that doesn't name its agent.
Result<Caller> JudgeCaller(const IdentityBook& book, const ProjectMarks& marks,
                           const Ancestry& ancestry, const std::optional<std::string>& claim);
// For this process. `read` tells whether the book holds all agents: if not, a process with an
// ancestor that was started for an agent is kRefused, since that agent may be missing.
Result<Caller> FindCaller(const IdentityBook& book, const ProjectMarks& marks,
                          const Environment& environment, const Result<void>& read = {});

// Who started a process, or is that process.
Result<Caller> FindStarter(const IdentityBook& book, const ProjectMarks& marks, pid_t process);

// For the process at the other end of a socket. A process that is gone is kRefused: its pid may
// belong to another by now, and an agent that sends and ends at once must not pass for a person.
Result<Caller> FindPeer(const IdentityBook& book, const ProjectMarks& marks, const Peer& peer,
                        const std::optional<std::string>& claim, const Result<void>& read = {});

// The fence: an incarnation that has ended, or was never recorded, may change nothing. kRefused,
// and `what` it tried ("note") is noted in the journal. People always pass.
Result<void> CheckFence(FileSystem& files, const Layout& project, IdentityLedger& ledger,
                        const Caller& caller, std::string_view what,
                        Duration lock_limit = std::chrono::seconds(2));

}  // namespace belay

#endif  // BELAY_APP_CALLER_H_
