// What keeps work from landing: no gates are configured, or a landing was cut off while it moved a
// checkout of the target (git refuses to work there until that landing is ended).

#ifndef BELAY_CLI_DOCTOR_LANDING_H_
#define BELAY_CLI_DOCTOR_LANDING_H_

#include <optional>

#include "cli/doctor_checks.h"
#include "cli/repairer.h"
#include "cli/services.h"
#include "store/layout.h"

namespace belay {

// Nothing when there is none, or when it is going on.
std::optional<Check> CheckCutOffLanding(const Layout& project, const Services& services);
// Locks that a killed git has left; nothing when there is none. They may be a person's, so only
// that person removes them.
std::optional<Check> CheckLeftLocks(const Layout& project, const Services& services);
// Entries wait in the queue, and no gates are configured: none of them will land. Nothing when that
// isn't so.
std::optional<Check> CheckGates(const Layout& project, const Invocation& invocation,
                                const Services& services);
// Finishes or undoes it.
std::optional<Repair> EndCutOffLanding(const Layout& project, Services& services);

}  // namespace belay

#endif  // BELAY_CLI_DOCTOR_LANDING_H_
