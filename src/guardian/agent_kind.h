// Finding out the kind of an agent (docs/agents-setup.md). The command decides at spawn; a wrapper
// script, which is generic then, is corrected later by its hooks or its processes. A kind that a
// person gave with --agent stays.

#ifndef BELAY_GUARDIAN_AGENT_KIND_H_
#define BELAY_GUARDIAN_AGENT_KIND_H_

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "ledger/identity_ledger.h"
#include "model/identity.h"
#include "store/state_lock.h"

namespace belay {

AgentKind KindOfCommand(const std::vector<std::string>& command);

// Whether one of these command lines is a Claude Code.
bool RunsClaude(const std::vector<std::vector<std::string>>& commands);

// Of an agent whose hooks reported this session; empty: they reported none.
AgentKind KindWithSession(const Identity& identity, const std::string& session);

// The change that makes a generic agent a Claude Code, with its reason; nothing when its kind is
// known better already, or was given.
std::optional<IdentityChange> CorrectedKind(const Identity& identity, KindSource seen);

// Records that change, if one is due. False when nothing was recorded.
Result<bool> CorrectKind(const StateLock& lock, IdentityLedger& ledger, const AgentId& agent,
                         KindSource seen);

}  // namespace belay

#endif  // BELAY_GUARDIAN_AGENT_KIND_H_
