// Claude Code's hooks (adapters/agent/agent_hooks.h).

#ifndef BELAY_ADAPTERS_CLAUDE_HOOKS_H_
#define BELAY_ADAPTERS_CLAUDE_HOOKS_H_

#include <optional>
#include <span>
#include <string>

#include "adapters/agent/agent_hooks.h"
#include "os/process_tree.h"

namespace belay {

const AgentHooks& ClaudeHooks();

// Which of the processes above a hook is the Claude Code whose hook it is.

// The program says so itself ($CLAUDE_PID), and is believed if it is one of them. Older ones don't
// say: then it is the one that runs the hook's shell, if it looks like one.
std::optional<ProcessAbove> ClaudeAbove(std::span<const ProcessAbove> above,
                                        const std::optional<std::string>& claim);

}  // namespace belay

#endif  // BELAY_ADAPTERS_CLAUDE_HOOKS_H_
