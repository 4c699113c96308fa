// Usage lines from the command table, for help, completion and the documentation.

#ifndef BELAY_CLI_USAGE_H_
#define BELAY_CLI_USAGE_H_

#include <string>
#include <vector>

#include "cli/command.h"

namespace belay {

// "belay init [--agent claude|codex|generic] [--yes]"
std::string UsageLine(const Command& command);
// The same in lines of at most that many columns, as far as its parts allow.
std::string UsageLines(const Command& command, std::size_t columns);

// "-h, --help", "--agent KIND"
std::string OptionLabel(const Option& option);

// The rows of a noun: "config show" and "config check" for "config".
std::vector<const Command*> CommandsOf(std::string_view noun);

}  // namespace belay

#endif  // BELAY_CLI_USAGE_H_
