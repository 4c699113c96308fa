// Whether belay's hooks in Claude Code's settings are there, are read, and are really called.

#ifndef BELAY_CLI_DOCTOR_CLAUDE_H_
#define BELAY_CLI_DOCTOR_CLAUDE_H_

#include <vector>

#include "cli/doctor_checks.h"
#include "store/layout.h"

namespace belay {

// Nothing when there is neither a Claude Code nor a hook of ours. The commands in the settings are
// run as Claude Code runs them, with BELAY_EVENT_PROBE=1, on which `belay event` says that it is
// there and records nothing.
std::vector<Check> CheckClaude(const Layout& project, const Services& services);

}  // namespace belay

#endif  // BELAY_CLI_DOCTOR_CLAUDE_H_
