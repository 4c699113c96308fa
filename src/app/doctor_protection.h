// Whether git still asks belay before a protected target moves: a hook is lost when somebody sets
// core.hooksPath, installs hooks of his own, or makes a worktree with a folder of its own.

#ifndef BELAY_APP_DOCTOR_PROTECTION_H_
#define BELAY_APP_DOCTOR_PROTECTION_H_

#include <optional>

#include "app/doctor_checks.h"
#include "store/layout.h"

namespace belay {

// Nothing when no target is protected, or when the queue can't be read, which is said elsewhere.
std::optional<Check> CheckProtection(const Layout& project, const Env& env);

}  // namespace belay

#endif  // BELAY_APP_DOCTOR_PROTECTION_H_
