#include "guardian/agent_kind.h"

#include <algorithm>

#include "adapters/agent/agent_program.h"

namespace belay {
namespace {

bool MayBecomeClaude(const Identity& identity) {
  return identity.agent_kind == AgentKind::kGeneric && identity.kind_source != KindSource::kGiven &&
         identity.host != AgentHost::kSelf;
}

}  // namespace

AgentKind KindOfCommand(const std::vector<std::string>& command) {
  const std::optional<AgentProgram> program = AgentProgramOf(command);
  if (!program) return AgentKind::kGeneric;
  switch (*program) {
    case AgentProgram::kClaude:
      return AgentKind::kClaude;
    case AgentProgram::kCodex:
      return AgentKind::kCodex;
  }
  __builtin_unreachable();
}

bool RunsClaude(const std::vector<std::vector<std::string>>& commands) {
  return std::ranges::any_of(commands, [](const std::vector<std::string>& words) {
    return AgentProgramOf(words) == AgentProgram::kClaude;
  });
}

AgentKind KindWithSession(const Identity& identity, const std::string& session) {
  const bool claude = !session.empty() && MayBecomeClaude(identity);
  return claude ? AgentKind::kClaude : identity.agent_kind;
}

std::optional<IdentityChange> CorrectedKind(const Identity& identity, KindSource seen) {
  if (!MayBecomeClaude(identity)) return std::nullopt;
  Identity changed = identity;
  changed.agent_kind = AgentKind::kClaude;
  changed.kind_source = seen;
  return IdentityChange{"kind",
                        seen == KindSource::kHooks
                            ? "claude, not generic: its hooks reported a session"
                            : "claude, not generic: a claude process runs in its process tree",
                        std::move(changed)};
}

Result<bool> CorrectKind(const StateLock& lock, IdentityLedger& ledger, const AgentId& agent,
                         KindSource seen) {
  BELAY_TRY(ledger.CatchUp());
  const Identity* present = ledger.book().Find(agent.identity());
  if (present == nullptr || present->id != agent) return false;
  const std::optional<IdentityChange> change = CorrectedKind(*present, seen);
  if (!change) return false;
  BELAY_TRY(ledger.Record(lock, *change));
  return true;
}

}  // namespace belay
