// What an agent's adapter finds out, in the guardian's terms: how the agent ended, its kind, its
// conversation.

#ifndef BELAY_APP_AGENT_FACTS_H_
#define BELAY_APP_AGENT_FACTS_H_

#include <optional>
#include <string>
#include <vector>

#include "adapters/agent/agent_adapter.h"
#include "adapters/agents.h"
#include "app/env.h"
#include "base/result.h"
#include "engine/events/open_work.h"
#include "ledger/identity_ledger.h"
#include "model/identity.h"
#include "os/exit_status.h"
#include "os/file_system.h"
#include "os/process_tree.h"

namespace belay {

// Why an agent that ended by itself did so, according to the end of its conversation; nothing when
// that adds nothing to the exit status.
std::optional<ExitCause> CauseByTranscript(const FileSystem& files, AgentKind kind,
                                           const ExitStatus& exit, const std::string& transcript);

// How its conversation ends; nothing when there is none to read.
ConversationTurn TurnByTranscript(const FileSystem& files, AgentKind kind,
                                  const std::string& transcript);

// Samples the processes of an agent soon after its start, while no hook has reported anything:
// which of them is of a kind that has hooks, and which conversation it is in. A program may keep
// that in a file that it removes when it ends, so it must be read while the program runs.

struct FoundAgent {
  std::optional<AgentKind> kind = {};  // of the program that runs
  std::string session = {};            // its conversation; empty: not known
};
FoundAgent FindAgentInTree(const SessionEnv& env, const Identity& identity,
                           const TreeActivity& tree);

// The conversation on record, with its transcript if its program has one.
Conversation KnownConversation(const SessionEnv& env, const Identity& identity);

// Finding out the kind of an agent (docs/agents-setup.md). The command decides at spawn; a wrapper
// script, which is generic then, is corrected later by its hooks or its processes. A kind that a
// person gave with --agent stays.

// The kind that one of these command lines starts, if it is one with hooks.
std::optional<AgentKind> HookedKindIn(const std::vector<std::vector<std::string>>& commands);

struct SeenKind {
  AgentKind kind;
  KindSource by;  // kHooks or kProcesses
};

// For an agent whose hooks were of that kind; nothing: no hook reported.
AgentKind KindWithHooks(const Identity& identity, std::optional<AgentKind> reported);

// The change that gives a generic agent the kind that was seen, with its reason; nothing when a
// better source or the user already set its kind.
std::optional<IdentityChange> CorrectedKind(const Identity& identity, SeenKind seen);

// Records that change, if one is due. False when nothing was recorded.
Result<bool> CorrectKind(const IdentityLock& lock, IdentityLedger& ledger, const AgentId& agent,
                         SeenKind seen);

}  // namespace belay

#endif  // BELAY_APP_AGENT_FACTS_H_
