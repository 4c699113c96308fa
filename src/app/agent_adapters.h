// What the adapter of an agent says about its end, in the guardian's words.

#ifndef BELAY_APP_AGENT_ADAPTERS_H_
#define BELAY_APP_AGENT_ADAPTERS_H_

#include <optional>
#include <string>

#include "adapters/agents.h"
#include "engine/events/open_work.h"
#include "model/identity.h"
#include "os/exit_status.h"
#include "os/file_system.h"

namespace belay {

// Why an agent that ended by itself did so, by the end of its conversation; nothing when that
// doesn't say more than the exit status.
std::optional<ExitCause> CauseByTranscript(const FileSystem& files, AgentKind kind,
                                           const ExitStatus& exit, const std::string& transcript);

// How its conversation ends; nothing when there is none to read.
ConversationTurn TurnByTranscript(const FileSystem& files, AgentKind kind,
                                  const std::string& transcript);

}  // namespace belay

#endif  // BELAY_APP_AGENT_ADAPTERS_H_
