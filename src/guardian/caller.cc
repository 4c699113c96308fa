#include "guardian/caller.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/utf8.h"
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
    if (entry.present.host == AgentHost::kExternal) continue;
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
};

Tree WhoseTree(const IdentityBook& book, const Ancestry& ancestry) {
  Tree tree;
  for (const Ancestor& ancestor : ancestry.chain) {
    tree.recorded = WhoseProcess(book, ancestor.process);
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

Error Disagrees(const AgentId& tree, const AgentId& claim) {
  return {
      ErrorCode::kRefused,
      fmt::format("this is a process of {}, and BELAY_AGENT_ID says {}", tree.text(), claim.text()),
      "an agent speaks only for itself"};
}

}  // namespace

std::string Caller::Name() const { return agent ? agent->text() : "person"; }

Ancestry AncestorsOf(pid_t pid) { return AncestryOf(pid, kClaim); }

Result<Caller> JudgeCaller(const IdentityBook& book, const Ancestry& ancestry,
                           const std::optional<std::string>& claim) {
  std::optional<AgentId> claimed;
  if (claim) {
    BELAY_TRY_ASSIGN(claimed, ParseClaim(*claim));
  }
  const Tree tree = WhoseTree(book, ancestry);
  const bool guardian = tree.recorded != nullptr && tree.recorded->host == AgentHost::kSelf;
  if (tree.recorded != nullptr && !guardian) {
    if (claimed && *claimed != tree.recorded->id) return Disagrees(tree.recorded->id, *claimed);
    return Caller{Party::kAgent, tree.recorded->id, true};
  }
  if (claimed && tree.claimed && *claimed != *tree.claimed) {
    return Disagrees(*tree.claimed, *claimed);
  }
  if (claimed) return Caller{Party::kAgent, claimed, false};
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

Result<Caller> FindCaller(const IdentityBook& book, const Environment& environment) {
  return JudgeCaller(book, AncestorsOf(static_cast<pid_t>(ThisProcess())), environment.Get(kClaim));
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
  const Result<StateLock> lock = IdentityLedger::Lock(files, project, lock_limit);
  const Result<void> noted =
      lock ? ledger.Note(*lock, now, late.message) : Result<void>(lock.error());
  if (noted) return late;
  return Error{late.code, late.message, fmt::format("not noted: {}", noted.error().message)};
}

}  // namespace belay
