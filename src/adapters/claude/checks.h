// Checks that belay's hooks in Claude Code's settings are installed, are read, and work.

#ifndef BELAY_ADAPTERS_CLAUDE_CHECKS_H_
#define BELAY_ADAPTERS_CLAUDE_CHECKS_H_

#include <string>
#include <vector>

#include "adapters/agent/agent_hooks.h"

namespace belay {

// As AgentHooks::CheckInstalled.
std::vector<Check> CheckClaude(const HookDoors& doors);

// Calls a hook the way Claude Code does, to verify that belay answers.

// `program` as it is spelled in a hook's command. It is called for PreToolUse, by a shell, in the
// project's folder, with an event on standard input and a limit of five seconds.
Check ProbeHook(const std::string& program, const HookDoors& doors);

}  // namespace belay

#endif  // BELAY_ADAPTERS_CLAUDE_CHECKS_H_
