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

// Finds the Claude Code among the processes above its hook.

// The program reports its pid ($CLAUDE_PID), which is trusted if it is one of them. Older versions
// don't: then it is the process that runs the hook's shell, if it looks like Claude Code.
std::optional<ProcessAbove> ClaudeAbove(std::span<const ProcessAbove> above,
                                        const std::optional<std::string>& claim);

}  // namespace belay

#endif  // BELAY_ADAPTERS_CLAUDE_HOOKS_H_
