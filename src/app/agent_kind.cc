#include "app/agent_kind.h"

#include <fmt/core.h>

#include "adapters/agents.h"

namespace belay {
namespace {

bool MayBeCorrected(const Identity& identity) {
  return identity.agent_kind == AgentKind::kGeneric && identity.kind_source != KindSource::kGiven &&
         FactsOf(identity.host).is_agent;
}

}  // namespace

std::optional<AgentKind> HookedKindIn(const std::vector<std::vector<std::string>>& commands) {
  for (const std::vector<std::string>& words : commands) {
    const AgentKind kind = KindOfCommand(words);
    if (HooksFor(kind) != nullptr) return kind;
  }
  return std::nullopt;
}

AgentKind KindWithHooks(const Identity& identity, std::optional<AgentKind> heard) {
  return heard && MayBeCorrected(identity) ? *heard : identity.agent_kind;
}

std::optional<IdentityChange> CorrectedKind(const Identity& identity, SeenKind seen) {
  if (!MayBeCorrected(identity)) return std::nullopt;
  Identity changed = identity;
  changed.agent_kind = seen.kind;
  changed.kind_source = seen.by;
  const std::string_view name = AgentKindName(seen.kind);
  return IdentityChange{
      "kind",
      seen.by == KindSource::kHooks
          ? fmt::format("{}, not generic: its hooks reported a session", name)
          : fmt::format("{0}, not generic: a {0} process runs in its process tree", name),
      std::move(changed)};
}

Result<bool> CorrectKind(const IdentityLock& lock, IdentityLedger& ledger, const AgentId& agent,
                         SeenKind seen) {
  BELAY_TRY(ledger.CatchUp());
  const Identity* present = ledger.book().Find(agent.identity());
  if (present == nullptr || present->id != agent) return false;
  const std::optional<IdentityChange> change = CorrectedKind(*present, seen);
  if (!change) return false;
  BELAY_TRY(ledger.Record(lock, *change));
  return true;
}

}  // namespace belay
