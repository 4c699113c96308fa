// One command line from start to end: parsed, run, and its outcome or its error put into `io`.

#ifndef BELAY_CLI_RUN_H_
#define BELAY_CLI_RUN_H_

#include <span>
#include <string_view>

#include "cli/services.h"

namespace belay {

// The exit code. `services.io` holds what is to be written.
int RunCommandLine(std::span<const std::string_view> arguments, Services& services);

}  // namespace belay

#endif  // BELAY_CLI_RUN_H_
