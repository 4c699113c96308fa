// Waiting for a lock, but never without bound.

#ifndef BELAY_OS_FILE_LOCK_H_
#define BELAY_OS_FILE_LOCK_H_

#include "base/result.h"
#include "base/time.h"
#include "os/file_system.h"

namespace belay {

// Takes the exclusive flock of `file`, waiting at most about `limit`; then kBusy. Those who wait
// are served in the kernel's order. The lock goes when the file is closed, also by kill -9.
//
// The wait is one blocking call that a timer of this thread interrupts: trying again and again
// would either be late or burn time. It uses the signal SIGRTMAX - 1, which nothing else may use.
Result<void> LockExclusively(File& file, Duration limit);

}  // namespace belay

#endif  // BELAY_OS_FILE_LOCK_H_
