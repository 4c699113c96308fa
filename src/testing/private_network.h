// A network of its own for this process and its children: loopback and nothing else, so that
// whatever they try, nobody outside hears of it.

#ifndef BELAY_TESTING_PRIVATE_NETWORK_H_
#define BELAY_TESTING_PRIVATE_NETWORK_H_

#include "base/result.h"

namespace belay {

// Before the first thread is started. User and group stay what they are. When the kernel doesn't
// permit it, the error says so and the process is where it was.
Result<void> EnterPrivateNetwork();

}  // namespace belay

#endif  // BELAY_TESTING_PRIVATE_NETWORK_H_
