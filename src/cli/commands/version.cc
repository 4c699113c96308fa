#include <fmt/core.h>

#include "cli/commands/commands.h"

namespace belay {

Result<int> RunVersion(const Invocation&, Services& services) {
  services.io.Show(MakeObject({{"version", BELAY_VERSION}}), "belay " BELAY_VERSION "\n");
  return 0;
}

}  // namespace belay
