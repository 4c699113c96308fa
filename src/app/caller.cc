#include "app/caller.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/path.h"
#include "host/host.h"
#include "host/launch.h"
#include "os/this_process.h"

namespace belay {
namespace {

constexpr const char* kClaim = "BELAY_AGENT_ID";
constexpr const char* kState = "BELAY_STATE";
constexpr const char* kGate = "BELAY_GATE";

bool IsProcessOf(const ProcessIdentity& process, const Identity& identity) {
  const ProcessMark mark{process.pid, process.start_time};
  return identity.boot_id == process.boot_id &&
         (identity.process == mark || identity.parent == mark);
}

// Of several, the one that belay launched counts: what hooks report about their process is only a
// claim. Of the sessions that hooks registered for one program, the running one counts.
bool CountsMore(const Identity& one, const Identity* other) {
  if (other == nullptr) return true;
  const bool launched = FactsOf(one.host).named;
  if (launched != FactsOf(other->host).named) return launched;
  return IsRunning(one.status) && !IsRunning(other->status);
}

// A process belongs to one incarnation only, whether that one is still the current one or not.
const Identity* WhoseProcess(const IdentityBook& book, const ProcessIdentity& process) {
  const Identity* found = nullptr;
  for (const auto& [name, entry] : book.entries()) {
    for (const Identity& former : entry.history) {
      if (IsProcessOf(process, former) && CountsMore(former, found)) found = &former;
    }
    if (IsProcessOf(process, entry.present) && CountsMore(entry.present, found)) {
      found = &entry.present;
    }
  }
  return found;
}

bool IsBelay(const Ancestor& ancestor, const ProjectMarks& marks) {
  constexpr std::string_view kReplaced = " (deleted)";
  if (ancestor.program.empty()) return false;
  std::string_view file = ancestor.program;
  if (file == marks.program) return true;
  if (file.ends_with(kReplaced)) file.remove_suffix(kReplaced.size());
  const std::string_view name = FileName(file);
  return name == "belay" || name.starts_with("belay-") || name.starts_with("belay.");
}

// The agent for which a process was started, according to its environment.
struct StartedFor {
  std::string agent = {};
  bool here = false;  // of this project, or it doesn't name a project
  bool exec = false;  // it is the `belay exec` of that agent
};

std::optional<StartedFor> ReadStart(const Ancestor& ancestor, const ProjectMarks& marks) {
  // Whatever its file is called.
  const std::optional<ExecCommand> exec = ReadExecCommand(ancestor.command);
  if (exec) return StartedFor{exec->agent, exec->root == marks.root, true};
  const auto claim = ancestor.variables.find(kClaim);
  if (claim == ancestor.variables.end()) return std::nullopt;
  const auto state = ancestor.variables.find(kState);
  const bool here =
      state == ancestor.variables.end() || state->second.empty() || state->second == marks.state;
  return StartedFor{claim->second, here};
}

// Which agent's tree it is in: by the nearest process that belay recorded, since an agent may have
// been started by another one; below that by the furthest claim, since processes further down can
// set it again. What hooks reported about a process is a claim as well: it counts only if nothing
// above it says otherwise.
struct Tree {
  const Identity* recorded = nullptr;  // its process is known
  const Identity* session = nullptr;   // the nearest one that hooks registered
  std::optional<AgentId> claimed =
      {};                          // started for this agent, which has no process on record yet
  std::string_view stranger = {};  // what lies between; empty: nothing
  bool at_root = false;            // the recorded process is the caller itself
};

// The agent of this project that a process was started for.
std::optional<AgentId> AgentHere(const IdentityBook& book, const std::optional<StartedFor>& start) {
  if (!start || !start->here) return std::nullopt;
  const Result<AgentId> agent = AgentId::Parse(start->agent);
  const bool known = agent && book.Find(agent->identity()) != nullptr;
  return known ? std::optional(*agent) : std::nullopt;
}

// What makes a process below this one a stranger; empty: nothing.
std::string_view StrangerBelow(const Ancestor& ancestor, const ProjectMarks& marks, bool exec,
                               bool foreign, bool may_be_belay) {
  if (ancestor.variables.contains(kGate)) return "a gate";
  if (!exec && !may_be_belay && IsBelay(ancestor, marks)) return "a belay program";
  return foreign ? "an agent of another project" : "";
}

Tree WhoseTree(const IdentityBook& book, const ProjectMarks& marks, const Ancestry& ancestry) {
  Tree tree;
  // That a process is belay proves nothing about the caller itself, nor about the parent of one of
  // our execs: that is the `belay spawn` that started it.
  bool may_be_belay = true;
  for (const Ancestor& ancestor : ancestry.chain) {
    const Identity* recorded = WhoseProcess(book, ancestor.process);
    if (recorded != nullptr && FactsOf(recorded->host).named) {
      tree.recorded = recorded;
      tree.at_root = &ancestor == &ancestry.chain.front();
      return tree;
    }
    // What its own processes were started with doesn't matter.
    if (recorded != nullptr && tree.session == nullptr) tree = Tree{.session = recorded};
    const std::optional<StartedFor> start = ReadStart(ancestor, marks);
    const std::optional<AgentId> agent = AgentHere(book, start);
    if (agent) tree.claimed = agent;
    const bool exec = start && start->exec;
    if (tree.stranger.empty()) {
      tree.stranger = StrangerBelow(ancestor, marks, exec, start && !agent, may_be_belay);
    }
    may_be_belay = exec && agent && IsBelay(ancestor, marks);
  }
  return tree;
}

bool IsProvenPerson(const Ancestry& ancestry) {
  return ancestry.at_terminal && ancestry.end == Ancestry::End::kFirst &&
         std::none_of(ancestry.chain.begin(), ancestry.chain.end(),
                      [](const Ancestor& one) { return one.variables.contains(kClaim); });
}

Result<AgentId> ParseClaim(const std::string& claim) {
  Result<AgentId> agent = AgentId::Parse(claim);
  if (agent) return agent;
  return Error{ErrorCode::kRefused, fmt::format("BELAY_AGENT_ID: {}", agent.error().message),
               "don't change it: belay set it"};
}

// Whether a claim to be the guardian is believed. Outside all trees it grants no more rights than a
// person has.
bool IsGuardian(const IdentityBook& book, const AgentId& claim) {
  const Identity* present = book.Find(claim.identity());
  return present != nullptr && present->host == AgentHost::kSelf;
}

// Without all ancestors a caller is unknown: the missing ones may be an agent, whatever it claims.
Result<void> CheckAncestors(const Ancestry& ancestry) {
  switch (ancestry.end) {
    case Ancestry::End::kFirst:
    case Ancestry::End::kHidden:
      return {};
    case Ancestry::End::kLost:
      return Error{ErrorCode::kRefused,
                   "can't identify the caller: one of its parent processes has ended", "try again"};
    case Ancestry::End::kDeep:
      return Error{ErrorCode::kRefused,
                   fmt::format("can't identify the caller: it has more than {} parent processes",
                               Ancestry::kMostAncestors),
                   "run it with fewer nested shells"};
    case Ancestry::End::kUnseen:
      return Error{ErrorCode::kRefused,
                   "can't identify the caller: /proc doesn't show its pid namespace",
                   "mount /proc there, as unshare --mount-proc does"};
  }
  __builtin_unreachable();
}

Error Disagrees(const AgentId& tree, const AgentId& claim) {
  return {ErrorCode::kRefused,
          fmt::format("this process belongs to {}, but BELAY_AGENT_ID is {}", tree.text(),
                      claim.text()),
          "an agent may only act for itself"};
}

// A process that was started for an agent can't be judged while the list of agents is unknown.
Result<void> CheckKnown(const ProjectMarks& marks, const Ancestry& ancestry,
                        const std::optional<std::string>& claim, const Result<void>& read) {
  const bool claims = claim || !WhoseTree({}, marks, ancestry).stranger.empty();
  if (read || !claims) return {};
  return Error{
      ErrorCode::kRefused,
      fmt::format("this process was started for an agent, but the list of agents can't be read: {}",
                  read.error().message),
      "run it outside any agent"};
}

}  // namespace

std::string Caller::Name() const {
  if (agent) return agent->text();
  return IsPerson() ? "person" : std::string(stranger);
}

ProjectMarks MarksOf(const Layout& project) {
  return {project.Root(), project.StateRoot(), ProgramFileOf(static_cast<pid_t>(ThisProcess()))};
}

ProjectMarks MarksHere(const FileSystem& files, const Layout& project, const IdentityBook& book) {
  ProjectMarks marks = MarksOf(project);
  const Result<std::string> boot = BootId();
  for (const auto& [name, entry] : book.entries()) {
    // Nothing shows whether a session that was started without belay still runs there.
    if (!FactsOf(entry.present.host).named) continue;
    if (CheckInSight(files, project, entry.present, boot)) continue;
    marks.out_of_sight = entry.present.id.text();
    break;
  }
  return marks;
}

namespace {

Result<void> CheckSameNamespace(const ProjectMarks& marks) {
  if (marks.out_of_sight.empty()) return {};
  return Error{ErrorCode::kRefused,
               fmt::format("can't identify the caller: it is in another pid namespace than {}",
                           marks.out_of_sight),
               "run it where the agents run"};
}

// Outside all recorded trees.
Result<Caller> JudgeClaims(const IdentityBook& book, const std::optional<AgentId>& claimed,
                           const std::optional<AgentId>& above) {
  if (claimed && above && *claimed != *above) return Disagrees(*above, *claimed);
  if (claimed) return Caller{Party::kAgent, claimed, false, IsGuardian(book, *claimed)};
  return Caller{Party::kAgent, above, false};
}

}  // namespace

Result<Caller> JudgeCaller(const IdentityBook& book, const ProjectMarks& marks,
                           const Ancestry& ancestry, const std::optional<std::string>& claim) {
  BELAY_TRY(CheckAncestors(ancestry));
  BELAY_TRY(CheckSameNamespace(marks));
  std::optional<AgentId> claimed;
  if (claim) {
    BELAY_TRY_ASSIGN(claimed, ParseClaim(*claim));
  }
  const Tree tree = WhoseTree(book, marks, ancestry);
  const bool guardian = tree.recorded != nullptr && !FactsOf(tree.recorded->host).is_agent;
  if (tree.recorded != nullptr && !guardian) {
    if (claimed && *claimed != tree.recorded->id) return Disagrees(tree.recorded->id, *claimed);
    return Caller{Party::kAgent, tree.recorded->id, true};
  }
  if (guardian && tree.at_root) return Caller{Party::kAgent, tree.recorded->id, true, true};
  if (!tree.stranger.empty()) return Caller{.party = Party::kAgent, .stranger = tree.stranger};
  if (tree.session != nullptr && !tree.claimed) {
    if (claimed && *claimed != tree.session->id) return Disagrees(tree.session->id, *claimed);
    return Caller{Party::kAgent, tree.session->id, false};
  }
  if (claimed || tree.claimed) return JudgeClaims(book, claimed, tree.claimed);
  if (guardian) {
    return Error{ErrorCode::kRefused,
                 "the guardian started this process, but BELAY_AGENT_ID is missing",
                 "set BELAY_AGENT_ID to the value that belay set"};
  }
  return Caller{.proven = IsProvenPerson(ancestry)};
}

Result<Caller> FindCaller(const IdentityBook& book, const ProjectMarks& marks,
                          const Environment& environment, const Result<void>& read) {
  const Ancestry ancestry = AncestryOf(static_cast<pid_t>(ThisProcess()), {kClaim, kState, kGate});
  const std::optional<std::string> claim = environment.Get(kClaim);
  BELAY_TRY(CheckKnown(marks, ancestry, claim, read));
  return JudgeCaller(book, marks, ancestry, claim);
}

Result<Caller> FindStarter(const IdentityBook& book, const ProjectMarks& marks, pid_t process) {
  return JudgeCaller(book, marks, AncestryOf(process, {kClaim, kState, kGate}), std::nullopt);
}

Result<Caller> FindPeer(const IdentityBook& book, const ProjectMarks& marks, const Peer& peer,
                        const std::optional<std::string>& claim, const Result<void>& read) {
  const Ancestry ancestry = AncestryOf(peer.pid, {kClaim, kState, kGate});
  // Checked after its ancestors were read.
  const bool gone =
      peer.pidfd ? AwaitReadable(peer.pidfd, Duration::zero()) : !IdentityOf(peer.pid).ok();
  if (gone) {
    return Error{ErrorCode::kRefused, "can't identify the sender: it has ended"};
  }
  BELAY_TRY(CheckKnown(marks, ancestry, claim, read));
  return JudgeCaller(book, marks, ancestry, claim);
}

Result<void> CheckFence(FileSystem& files, const Layout& project, IdentityLedger& ledger,
                        const Caller& caller, std::string_view what, Duration lock_limit) {
  if (caller.IsPerson()) return {};
  if (!caller.agent) {
    return Error{ErrorCode::kRefused, fmt::format("{} has no record here", caller.Name()),
                 "only agents recorded in this project may do this"};
  }
  const Identity* present = ledger.book().Find(caller.agent->identity());
  if (present == nullptr) {
    return Error{ErrorCode::kRefused, fmt::format("{} is not recorded here", caller.Name()),
                 "belay agents --all lists the recorded agents"};
  }
  if (present->id == *caller.agent && IsRunning(present->status)) return {};
  const AgentId now = present->id;
  const Error late{ErrorCode::kRefused,
                   fmt::format("ignored a late {} from {}", what, caller.Name()),
                   "only the current incarnation of a running agent may do this"};
  const Result<IdentityLock> lock = IdentityLedger::Lock(files, project, lock_limit);
  const Result<void> noted =
      lock ? ledger.Note(*lock, now, late.message) : Result<void>(lock.error());
  if (noted) return late;
  return Error{late.code, late.message, fmt::format("not recorded: {}", noted.error().message)};
}

}  // namespace belay
