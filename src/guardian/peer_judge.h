// Who speaks: a person, or which agent. Judged by the tree of processes, which a process can't
// leave as long as the `belay exec` of its agent lives (it is a subreaper); then by what it says
// about itself.
//
// clang-format off
//   an ancestor is the process of a running agent, or its exec   that agent, whatever it says
//   none is, but it says that it is an agent                     counts as that agent, if it is the
//                                                                present incarnation; else it is late
//   none is, and it says nothing                                 a person
// clang-format on
//
// Whoever has the user's own rights can edit files and environments: this keeps agents from doing
// by mistake, or because a text told them to, what isn't theirs; it is no wall.

#ifndef BELAY_GUARDIAN_PEER_JUDGE_H_
#define BELAY_GUARDIAN_PEER_JUDGE_H_

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>

#include "base/ids.h"
#include "model/identity_book.h"
#include "model/signal.h"

namespace belay {

struct Speaker {
  Party party = Party::kPerson;
  std::string name = "person";        // or an agent id
  std::optional<AgentId> agent = {};  // of an agent
  std::string objection = {};         // why it isn't heard; empty: it is
  std::optional<AgentId> about = {};  // the present incarnation, for a note about that
};

// `claim` is what it says about itself: an agent id, or nothing that parses as one.
Speaker JudgePeer(const IdentityBook& book, pid_t pid, std::string_view claim);

}  // namespace belay

#endif  // BELAY_GUARDIAN_PEER_JUDGE_H_
