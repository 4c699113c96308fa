#include "cli/commands/commands.h"
namespace belay {
Result<int> RunAttach(const Invocation&, Services&) { return 0; }
}  // namespace belay
