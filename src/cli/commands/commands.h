// What the file of a command needs. Each command has a file beside this one; large verbs have one
// each. The run functions are declared beside the table (cli/command_table.cc).

#ifndef BELAY_CLI_COMMANDS_COMMANDS_H_
#define BELAY_CLI_COMMANDS_COMMANDS_H_

#include "base/result.h"
#include "cli/invocation.h"
#include "cli/services.h"

namespace belay {

// Also used by --help.
Result<int> RunHelp(const Invocation& invocation, Services& services);

}  // namespace belay

#endif  // BELAY_CLI_COMMANDS_COMMANDS_H_
