// Runs one command line from start to end: parses and runs it, and puts its outcome or its error
// into `io`.

#ifndef BELAY_CLI_RUN_H_
#define BELAY_CLI_RUN_H_

#include <span>
#include <string_view>

#include "cli/services.h"

namespace belay {

// Returns the exit code. `services.io` holds what will be written.
int RunCommandLine(std::span<const std::string_view> arguments, Services& services);

}  // namespace belay

#endif  // BELAY_CLI_RUN_H_
