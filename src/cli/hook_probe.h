// Calls a hook the way Claude Code does, to see that it is belay who answers.

#ifndef BELAY_CLI_HOOK_PROBE_H_
#define BELAY_CLI_HOOK_PROBE_H_

#include <string>

#include "cli/doctor_checks.h"
#include "store/layout.h"

namespace belay {

// Set to 1, it makes `belay event` print kProbeAnswer and record nothing.
constexpr const char* kProbeVariable = "BELAY_EVENT_PROBE";
constexpr std::string_view kProbeAnswer = R"({"belay":"probe"})";

// `program` as it is spelled in the command of a hook. It is called for PreToolUse, by a shell, in
// the project's folder, with an event on its standard input, and has five seconds.
Check ProbeHook(const std::string& program, const Layout& project, const Services& services);

}  // namespace belay

#endif  // BELAY_CLI_HOOK_PROBE_H_
