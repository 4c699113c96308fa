#include "app/version.h"

#include <fmt/core.h>

#include "cli/commands/commands.h"

namespace belay {

Result<int> RunVersion(const Invocation&, Services& services) {
  services.io.Show(MakeObject({{"version", kBelayVersion}}),
                   fmt::format("belay {}\n", kBelayVersion));
  return 0;
}

}  // namespace belay
