#include "app/caller.h"

#include <fmt/core.h>

#include <algorithm>

#include "os/this_process.h"

namespace belay {
namespace {

constexpr const char* kClaim = "BELAY_AGENT_ID";

bool IsProcessOf(const ProcessIdentity& process, const Identity& identity) {
  const ProcessMark mark{process.pid, process.start_time};
  return identity.boot_id == process.boot_id &&
         (identity.process == mark || identity.parent == mark);
}

// A process belongs to one incarnation only, whether that one still counts or not.
const Identity* WhoseProcess(const IdentityBook& book, const ProcessIdentity& process) {
  for (const auto& [name, entry] : book.entries()) {
    // Its hooks claimed that process; nobody can prove it, and it gives or takes no rights.
    if (!FactsOf(entry.present.host).named) continue;
    if (IsProcessOf(process, entry.present)) return &entry.present;
    for (const Identity& former : entry.history) {
      if (IsProcessOf(process, former)) return &former;
    }
  }
  return nullptr;
}

// Whose tree it is in: by the nearest process that is on record, since an agent may have been
// started by another one; below that by the furthest claim, since those below can set it anew.
struct Tree {
  const Identity* recorded = nullptr;   // its process is known
  std::optional<AgentId> claimed = {};  // started for that one, which has no process on record yet
  bool at_root = false;                 // the recorded process is the one that asks
};

Tree WhoseTree(const IdentityBook& book, const Ancestry& ancestry) {
  Tree tree;
  for (const Ancestor& ancestor : ancestry.chain) {
    tree.recorded = WhoseProcess(book, ancestor.process);
    tree.at_root = &ancestor == &ancestry.chain.front();
    if (tree.recorded != nullptr) return tree;
    if (!ancestor.variable) continue;
    const Result<AgentId> agent = AgentId::Parse(*ancestor.variable);
    // Others are of other projects.
    if (agent && book.Find(agent->identity()) != nullptr) tree.claimed = *agent;
  }
  return tree;
}

bool IsProvenPerson(const Ancestry& ancestry) {
  return ancestry.at_terminal && ancestry.end == Ancestry::End::kFirst &&
         std::none_of(ancestry.chain.begin(), ancestry.chain.end(),
                      [](const Ancestor& one) { return one.variable.has_value(); });
}

Result<AgentId> ParseClaim(const std::string& claim) {
  Result<AgentId> agent = AgentId::Parse(claim);
  if (agent) return agent;
  return Error{ErrorCode::kRefused, fmt::format("BELAY_AGENT_ID: {}", agent.error().message),
               "leave it as belay set it"};
}

// Whether a claim to be the guardian may be believed. Outside of all trees it gives no more rights
// than a person has.
bool IsGuardian(const IdentityBook& book, const Ancestry& ancestry, const AgentId& claim) {
  const Identity* present = book.Find(claim.identity());
  return present != nullptr && present->host == AgentHost::kSelf &&
         ancestry.end != Ancestry::End::kLost;
}

Error Disagrees(const AgentId& tree, const AgentId& claim) {
  return {
      ErrorCode::kRefused,
      fmt::format("this is a process of {}, and BELAY_AGENT_ID says {}", tree.text(), claim.text()),
      "an agent speaks only for itself"};
}

// What was started for an agent can't be judged while it isn't known which agents there are.
Result<void> CheckKnown(const Ancestry& ancestry, const std::optional<std::string>& claim,
                        const Result<void>& read) {
  const bool claims = claim || std::ranges::any_of(ancestry.chain, [](const Ancestor& one) {
                        return one.variable.has_value();
                      });
  if (read || !claims) return {};
  return Error{ErrorCode::kRefused,
               fmt::format("this was started for an agent, and which there are can't be read: {}",
                           read.error().message),
               "run it outside of any agent"};
}

}  // namespace

std::string Caller::Name() const { return agent ? agent->text() : "person"; }

Result<Caller> JudgeCaller(const IdentityBook& book, const Ancestry& ancestry,
                           const std::optional<std::string>& claim) {
  std::optional<AgentId> claimed;
  if (claim) {
    BELAY_TRY_ASSIGN(claimed, ParseClaim(*claim));
  }
  const Tree tree = WhoseTree(book, ancestry);
  const bool guardian = tree.recorded != nullptr && !FactsOf(tree.recorded->host).is_agent;
  if (tree.recorded != nullptr && !guardian) {
    if (claimed && *claimed != tree.recorded->id) return Disagrees(tree.recorded->id, *claimed);
    return Caller{Party::kAgent, tree.recorded->id, true};
  }
  if (guardian && tree.at_root) return Caller{Party::kAgent, tree.recorded->id, true, true};
  if (claimed && tree.claimed && *claimed != *tree.claimed) {
    return Disagrees(*tree.claimed, *claimed);
  }
  if (claimed) return Caller{Party::kAgent, claimed, false, IsGuardian(book, ancestry, *claimed)};
  if (tree.claimed) return Caller{Party::kAgent, tree.claimed, false};
  if (guardian) {
    return Error{ErrorCode::kRefused, "the guardian started this, and nothing says for which agent",
                 "set BELAY_AGENT_ID as belay did"};
  }
  if (ancestry.end != Ancestry::End::kLost) {
    return Caller{.proven = IsProvenPerson(ancestry)};
  }
  return Error{ErrorCode::kRefused,
               "who started this can't be told: a process above it ended meanwhile", "try again"};
}

Result<Caller> FindCaller(const IdentityBook& book, const Environment& environment,
                          const Result<void>& read) {
  const Ancestry ancestry = AncestryOf(static_cast<pid_t>(ThisProcess()), kClaim);
  const std::optional<std::string> claim = environment.Get(kClaim);
  BELAY_TRY(CheckKnown(ancestry, claim, read));
  return JudgeCaller(book, ancestry, claim);
}

Result<Caller> FindPeer(const IdentityBook& book, const Peer& peer,
                        const std::optional<std::string>& claim, const Result<void>& read) {
  const Ancestry ancestry = AncestryOf(peer.pid, kClaim);
  // Asked after its ancestors were read.
  const bool gone =
      peer.pidfd ? AwaitReadable(peer.pidfd, Duration::zero()) : !IdentityOf(peer.pid).ok();
  if (gone) {
    return Error{ErrorCode::kRefused, "whoever sent this is gone, so who it was can't be told"};
  }
  BELAY_TRY(CheckKnown(ancestry, claim, read));
  return JudgeCaller(book, ancestry, claim);
}

Result<void> CheckFence(FileSystem& files, const Layout& project, IdentityLedger& ledger,
                        const Caller& caller, std::string_view what, Duration lock_limit) {
  if (!caller.agent) return {};
  const Identity* present = ledger.book().Find(caller.agent->identity());
  if (present == nullptr) {
    return Error{ErrorCode::kRefused, fmt::format("nobody here is {}", caller.Name()),
                 "belay agents --all shows who was"};
  }
  if (present->id == *caller.agent && IsRunning(present->status)) return {};
  const AgentId now = present->id;
  const Error late{ErrorCode::kRefused,
                   fmt::format("a late {} of {} changes nothing", what, caller.Name()),
                   "only an agent that runs, in its present incarnation, is heard"};
  const Result<IdentityLock> lock = IdentityLedger::Lock(files, project, lock_limit);
  const Result<void> noted =
      lock ? ledger.Note(*lock, now, late.message) : Result<void>(lock.error());
  if (noted) return late;
  return Error{late.code, late.message, fmt::format("not noted: {}", noted.error().message)};
}

}  // namespace belay
