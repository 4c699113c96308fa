// Registers a session that was started without belay, from what its hooks reported (SES-23): its
// identity has the host `external`, so it is observed and never restarted.

#ifndef BELAY_APP_REGISTER_SESSION_H_
#define BELAY_APP_REGISTER_SESSION_H_

#include "app/env.h"
#include "base/ids.h"
#include "base/result.h"

namespace belay {

// False when there is nothing to register: it is registered and runs, its process is gone or
// unknown, an agent, a gate or belay started it, or it works outside this repository. A
// conversation that has ended and is resumed is the next incarnation.
Result<bool> RegisterSession(const SessionEnv& env, const IdentityName& name);

}  // namespace belay

#endif  // BELAY_APP_REGISTER_SESSION_H_
