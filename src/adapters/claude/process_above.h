// Which of the processes above a hook is the Claude Code whose hook it is.

#ifndef BELAY_ADAPTERS_CLAUDE_PROCESS_ABOVE_H_
#define BELAY_ADAPTERS_CLAUDE_PROCESS_ABOVE_H_

#include <optional>
#include <span>
#include <string>

#include "os/ancestry.h"

namespace belay {

// The program says so itself ($CLAUDE_PID), and is believed if it is one of them. Older ones don't
// say: then it is the one that runs the hook's shell, if it looks like one.
std::optional<ProcessAbove> ClaudeAbove(std::span<const ProcessAbove> above,
                                        const std::optional<std::string>& claim);

// Whether it was started from inside another one, by a tool or a script of that. What is above a
// belay isn't: an agent of belay's is nobody's tool.
bool RunsInsideAnother(std::span<const ProcessAbove> above, const ProcessAbove& claude);

}  // namespace belay

#endif  // BELAY_ADAPTERS_CLAUDE_PROCESS_ABOVE_H_
