#include "guardian/caller.h"

#include <fmt/core.h>

#include "base/utf8.h"
#include "os/this_process.h"

namespace belay {
namespace {

constexpr std::size_t kMostAncestors = 1000;  // a bound, should /proc change under us in a circle

bool IsProcessOf(const ProcessIdentity& process, const Identity& identity) {
  const ProcessMark mark{process.pid, process.start_time};
  return identity.boot_id == process.boot_id &&
         (identity.process == mark || identity.parent == mark);
}

// A process belongs to one incarnation only, whether that one still counts or not.
const Identity* WhoseProcess(const IdentityBook& book, const ProcessIdentity& process) {
  for (const auto& [name, entry] : book.entries()) {
    if (IsProcessOf(process, entry.present)) return &entry.present;
    for (const Identity& former : entry.history) {
      if (IsProcessOf(process, former)) return &former;
    }
  }
  return nullptr;
}

// The nearest one: an agent may have been started by another one.
const Identity* WhoseTree(const IdentityBook& book, std::span<const ProcessIdentity> ancestors) {
  for (const ProcessIdentity& process : ancestors) {
    if (const Identity* identity = WhoseProcess(book, process)) return identity;
  }
  return nullptr;
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

std::vector<ProcessIdentity> Ancestors(pid_t pid) {
  std::vector<ProcessIdentity> ancestors;
  while (pid > 0 && ancestors.size() < kMostAncestors) {
    const Result<ProcessIdentity> identity = IdentityOf(pid);
    const Result<pid_t> parent = ParentOf(pid);
    if (!identity || !parent) break;
    ancestors.push_back(*identity);
    pid = *parent;
  }
  return ancestors;
}

Result<Caller> JudgeCaller(const IdentityBook& book, std::span<const ProcessIdentity> ancestors,
                           const std::optional<std::string>& claim) {
  std::optional<AgentId> claimed;
  if (claim) {
    BELAY_TRY_ASSIGN(claimed, ParseClaim(*claim));
  }
  const Identity* tree = WhoseTree(book, ancestors);
  const bool guardian = tree != nullptr && tree->host == AgentHost::kSelf;
  if (tree != nullptr && !guardian) {
    if (claimed && *claimed != tree->id) return Disagrees(tree->id, *claimed);
    return Caller{Party::kAgent, tree->id, true};
  }
  if (claimed) return Caller{Party::kAgent, claimed, false};
  if (!guardian) return Caller{};
  return Error{ErrorCode::kRefused, "the guardian started this, and nothing says for which agent",
               "set BELAY_AGENT_ID as belay did"};
}

Result<Caller> FindCaller(const IdentityBook& book, const Environment& environment) {
  return JudgeCaller(book, Ancestors(static_cast<pid_t>(ThisProcess())),
                     environment.Get("BELAY_AGENT_ID"));
}

Result<void> CheckFence(FileSystem& files, const Layout& project, IdentityLedger& ledger,
                        const Caller& caller, std::string_view what) {
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
  const Result<StateLock> lock = IdentityLedger::Lock(files, project);
  const Result<void> noted =
      lock ? ledger.Note(*lock, now, late.message) : Result<void>(lock.error());
  if (noted) return late;
  return Error{late.code, late.message, fmt::format("not noted: {}", noted.error().message)};
}

}  // namespace belay
