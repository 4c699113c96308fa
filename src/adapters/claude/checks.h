// Whether belay's hooks in Claude Code's settings are there, are read, and are really called.

#ifndef BELAY_ADAPTERS_CLAUDE_CHECKS_H_
#define BELAY_ADAPTERS_CLAUDE_CHECKS_H_

#include <string>
#include <vector>

#include "adapters/agent/agent_hooks.h"

namespace belay {

// As AgentHooks::CheckInstalled.
std::vector<Check> CheckClaude(const HookDoors& doors);

// Calls a hook the way Claude Code does, to see that it is belay who answers.

// `program` as it is spelled in the command of a hook. It is called for PreToolUse, by a shell, in
// the project's folder, with an event on its standard input, and has five seconds.
Check ProbeHook(const std::string& program, const HookDoors& doors);

}  // namespace belay

#endif  // BELAY_ADAPTERS_CLAUDE_CHECKS_H_
