// What keeps work from landing: no gates are configured, or a landing was cut off while it moved a
// checkout of the target (git refuses to work there until that landing is ended).

#ifndef BELAY_APP_DOCTOR_LANDING_H_
#define BELAY_APP_DOCTOR_LANDING_H_

#include <optional>

#include "app/doctor_checks.h"
#include "app/env.h"
#include "app/repairer.h"
#include "store/layout.h"

namespace belay {

// Nothing when there is none, or when it is going on.
std::optional<Check> CheckCutOffLanding(const Layout& project, const Env& env);
// Locks that a killed git has left; nothing when there is none. They may be a person's, so only
// that person removes them.
std::optional<Check> CheckLeftLocks(const Layout& project, const Env& env);
// Entries wait in the queue, and no gates are configured: none of them will land. Nothing when that
// isn't so.
std::optional<Check> CheckGates(const Layout& project, const Env& env);
// Finishes or undoes it.
std::optional<Repair> EndCutOffLanding(const Layout& project, Env& env);

}  // namespace belay

#endif  // BELAY_APP_DOCTOR_LANDING_H_
