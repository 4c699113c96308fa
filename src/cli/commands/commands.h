// What the file of a command needs. There is one beside this for each command; several verbs with
// much to do have one each. Their run functions are declared where the table names them
// (cli/table.cc).

#ifndef BELAY_CLI_COMMANDS_COMMANDS_H_
#define BELAY_CLI_COMMANDS_COMMANDS_H_

#include "base/result.h"
#include "cli/invocation.h"
#include "cli/services.h"

namespace belay {

// What --help asks for too.
Result<int> RunHelp(const Invocation& invocation, Services& services);

}  // namespace belay

#endif  // BELAY_CLI_COMMANDS_COMMANDS_H_
