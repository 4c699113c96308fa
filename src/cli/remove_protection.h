// What `belay init --remove` does about `merge-queue protect`: the hook goes, and what was there
// before it is put back.

#ifndef BELAY_CLI_REMOVE_PROTECTION_H_
#define BELAY_CLI_REMOVE_PROTECTION_H_

#include <vector>

#include "cli/initialiser.h"
#include "cli/services.h"
#include "store/layout.h"

namespace belay {

// A hook that can't be taken out is `kept`, with the reason. Nothing when nothing was protected.
std::vector<InitChange> RemoveProtection(Services& services, const Layout& project, bool dry_run);

}  // namespace belay

#endif  // BELAY_CLI_REMOVE_PROTECTION_H_
