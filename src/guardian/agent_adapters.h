// Which adapter belongs to which kind of agent, and what they tell in the guardian's words.

#ifndef BELAY_GUARDIAN_AGENT_ADAPTERS_H_
#define BELAY_GUARDIAN_AGENT_ADAPTERS_H_

#include <optional>
#include <string>

#include "adapters/agent/agent_adapter.h"
#include "engine/events/open_work.h"
#include "model/identity.h"
#include "os/exit_status.h"
#include "os/file_system.h"

namespace belay {

// Codex is driven as a generic one so far.
const AgentAdapter& AdapterFor(AgentKind kind);

// Why an agent that ended by itself did so, by the end of its conversation; nothing when that
// doesn't say more than the exit status.
std::optional<ExitCause> CauseByTranscript(const FileSystem& files, AgentKind kind,
                                           const ExitStatus& exit, const std::string& transcript);

// How its conversation ends; nothing when there is none to read.
ConversationTurn TurnByTranscript(const FileSystem& files, AgentKind kind,
                                  const std::string& transcript);

}  // namespace belay

#endif  // BELAY_GUARDIAN_AGENT_ADAPTERS_H_
