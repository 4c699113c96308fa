// Waits for a lock, always with a time limit.

#ifndef BELAY_OS_FILE_LOCK_H_
#define BELAY_OS_FILE_LOCK_H_

#include <cstdint>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "os/file_system.h"

namespace belay {

// Opens the lock file at `path` (creating it with `mode`) and takes its exclusive flock, waiting at
// most about `limit`; then kBusy. Waiters are served in the kernel's order. Closing the file
// releases the lock, also on kill -9.
//
// The holder of the lock may remove the file as the last thing it does. A waiter then holds the
// lock of an unlinked file, notices that, and waits for the new one within the same limit.
//
// The wait is a blocking call that a timer of this thread interrupts: retrying in a loop would
// either be late or burn CPU. The timer uses the signal SIGRTMAX - 1, which nothing else may use
// and which this thread doesn't block while it waits. A waiter interrupted by another signal keeps
// waiting, but loses its place in the kernel's order.
Result<File> OpenLocked(FileSystem& files, const std::string& path, std::uint32_t mode,
                        Duration limit);

}  // namespace belay

#endif  // BELAY_OS_FILE_LOCK_H_
