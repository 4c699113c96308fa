// Who speaks: an agent, or a person. Asked by a command about itself, and by the guardian about the
// process at the other end of its socket.
//
// An agent is proven by what the kernel says: it is the child, however deep, of a process that is
// recorded for one (its own, or the `belay exec` above it). $BELAY_AGENT_ID is only a claim. Inside
// an agent's tree it must agree. Outside of all of them it is believed, since it can only take
// rights away; so is one that a process further up was started with, whatever removed it since.
//
// A session that was started without belay is the agent as which its hooks registered it, below the
// process that they named: nothing proves it, but it is no person, and no other agent.
//
// A stranger is an agent without a record here, which owns nothing: a process of an agent of
// another project, of a gate, or of any other program that belay started and that isn't on record.
// It is known by what the processes above it were started with (another project's $BELAY_AGENT_ID,
// $BELAY_GATE), and by a belay above it: people aren't started by belay.
//
// Without any of these it is a person, also in a script. A person is proven only by a terminal, and
// by ancestors up to the first process of whom none was started for an agent, of whatever project.
// What can't be proven counts as an agent: it may not send what only a person may (signals.h),
// and a process whose ancestors can't be read is refused.
//
// A process can't leave its tree as long as the exec above it lives, which is a subreaper; so is
// the belay above a gate. A program with the user's own rights can edit files and environments, and
// open terminals: this keeps agents from doing what isn't theirs by mistake, or because a text said
// so; it is not a security boundary.

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
  bool guardian = false;              // `agent` is the guardian: itself, or a program of its own
  std::string_view stranger = {};     // "a gate": what it is, when it has no record here

  std::string Name() const;  // "orchestrator-login#3", "person", "a gate"
  bool IsPerson() const { return party == Party::kPerson; }

  bool operator==(const Caller&) const = default;
};

// How processes of the project are recognised, beside its records.
struct ProjectMarks {
  std::string root = {};     // of `belay exec --root`
  std::string state = {};    // as $BELAY_STATE has it
  std::string program = {};  // the file of belay itself; others are belay's by their name
};
ProjectMarks MarksOf(const Layout& project);

// Pure. A claim that is no agent id, or another than the one whose tree it is: kRefused. So is a
// child of the guardian that doesn't say which agent it belongs to.
Result<Caller> JudgeCaller(const IdentityBook& book, const ProjectMarks& marks,
                           const Ancestry& ancestry, const std::optional<std::string>& claim);
// Of this process. `read` says whether the book holds all agents: if not, a process that one above
// it was started for an agent is kRefused, since that one may be missing.
Result<Caller> FindCaller(const IdentityBook& book, const ProjectMarks& marks,
                          const Environment& environment, const Result<void>& read = {});

// Of the process at the other end of a socket. One that is gone is kRefused: its number may be
// another's by now, and an agent that sends and ends at once must not pass for a person.
Result<Caller> FindPeer(const IdentityBook& book, const ProjectMarks& marks, const Peer& peer,
                        const std::optional<std::string>& claim, const Result<void>& read = {});

// The fence: an incarnation that has ended, or was never recorded, changes nothing any more.
// kRefused, and `what` it tried ("note") is noted in the journal. People may do it.
Result<void> CheckFence(FileSystem& files, const Layout& project, IdentityLedger& ledger,
                        const Caller& caller, std::string_view what,
                        Duration lock_limit = std::chrono::seconds(2));

}  // namespace belay

#endif  // BELAY_APP_CALLER_H_
