// A separate network for this process and its children: only loopback, so that nothing they send
// reaches the outside.

#ifndef BELAY_TESTING_PRIVATE_NETWORK_H_
#define BELAY_TESTING_PRIVATE_NETWORK_H_

#include "base/result.h"

namespace belay {

// Call it before the first thread is started. User and group don't change. When the kernel doesn't
// permit it, it returns an error and changes nothing.
Result<void> EnterPrivateNetwork();

}  // namespace belay

#endif  // BELAY_TESTING_PRIVATE_NETWORK_H_
