#include "cli/commands/commands.h"
namespace belay {
Result<int> RunLogs(const Invocation&, Services&) { return 0; }
}  // namespace belay
