// What `belay init --remove` does about `merge-queue protect`: the hook goes, and what was there
// before it is put back.

#ifndef BELAY_APP_REMOVE_PROTECTION_H_
#define BELAY_APP_REMOVE_PROTECTION_H_

#include <vector>

#include "app/env.h"
#include "app/initialiser.h"
#include "store/layout.h"

namespace belay {

// A hook that can't be taken out is `kept`, with the reason. Nothing when nothing was protected.
std::vector<InitChange> RemoveProtection(Env& env, const Layout& project, bool dry_run);

}  // namespace belay

#endif  // BELAY_APP_REMOVE_PROTECTION_H_
