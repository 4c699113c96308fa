// Finding out the kind of an agent (docs/agents-setup.md). The command decides at spawn; a wrapper
// script, which is generic then, is corrected later by its hooks or its processes. A kind that a
// person gave with --agent stays.

#ifndef BELAY_APP_AGENT_KIND_H_
#define BELAY_APP_AGENT_KIND_H_

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "ledger/identity_ledger.h"
#include "model/identity.h"
#include "store/state_lock.h"

namespace belay {

// The kind that one of these command lines starts, if it is one with hooks.
std::optional<AgentKind> HookedKindIn(const std::vector<std::vector<std::string>>& commands);

struct SeenKind {
  AgentKind kind;
  KindSource by;  // kHooks or kProcesses
};

// Of an agent whose hooks were of that kind; nothing: they reported nothing.
AgentKind KindWithHooks(const Identity& identity, std::optional<AgentKind> heard);

// The change that gives a generic agent the kind that was seen, with its reason; nothing when its
// kind is known better already, or was given.
std::optional<IdentityChange> CorrectedKind(const Identity& identity, SeenKind seen);

// Records that change, if one is due. False when nothing was recorded.
Result<bool> CorrectKind(const IdentityLock& lock, IdentityLedger& ledger, const AgentId& agent,
                         SeenKind seen);

}  // namespace belay

#endif  // BELAY_APP_AGENT_KIND_H_
