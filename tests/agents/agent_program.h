// The real agent that the scenarios run: which one, which version, and where it is installed.

#ifndef BELAY_TESTS_AGENTS_AGENT_PROGRAM_H_
#define BELAY_TESTS_AGENTS_AGENT_PROGRAM_H_

#include <optional>
#include <string>

namespace belay {

// $BELAY_CLAUDE_VERSION, or the one we are made for.
std::string ClaudeVersion();
// Where tests/agents/install puts it.
std::string ClaudeProgram();
// Whether a version is at least that one: newer ones know more hooks.
bool ClaudeIsAtLeast(int major, int minor);

// Why no scenario can run here; nothing when they can. The network is said by main, which has to
// make it before anything else.
std::optional<std::string> WhyNoScenario();
void SetNoNetwork(const std::string& reason);

}  // namespace belay

#endif  // BELAY_TESTS_AGENTS_AGENT_PROGRAM_H_
