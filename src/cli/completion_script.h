// Completion scripts for shells, made from the table of commands.

#ifndef BELAY_CLI_COMPLETION_SCRIPT_H_
#define BELAY_CLI_COMPLETION_SCRIPT_H_

#include <string>

namespace belay {

std::string BashCompletion();
std::string ZshCompletion();
std::string FishCompletion();

}  // namespace belay

#endif  // BELAY_CLI_COMPLETION_SCRIPT_H_
