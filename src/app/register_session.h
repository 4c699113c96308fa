// Registering a session that was started without belay, by what its hooks told (SES-23): its
// identity has the host `external`, so it is observed and never started again.

#ifndef BELAY_APP_REGISTER_SESSION_H_
#define BELAY_APP_REGISTER_SESSION_H_

#include "app/session_env.h"
#include "base/ids.h"
#include "base/result.h"

namespace belay {

// False when there is nothing to register: it is registered and runs, its process is gone or not
// known, or it works outside this repository. A conversation that was ended and is taken up again
// is the next incarnation.
Result<bool> RegisterSession(const SessionEnv& env, const IdentityName& name);

}  // namespace belay

#endif  // BELAY_APP_REGISTER_SESSION_H_
