// Waiting for a lock, but never without bound.

#ifndef BELAY_OS_FILE_LOCK_H_
#define BELAY_OS_FILE_LOCK_H_

#include <cstdint>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "os/file_system.h"

namespace belay {

// Opens the lock file at `path` (made with `mode` if it isn't there) and takes its exclusive flock,
// waiting at most about `limit`; then kBusy. Those who wait are served in the kernel's order. The
// lock goes when the file is closed, also by kill -9.
//
// Whoever has the lock may remove the file, as the last thing done under it. Those who waited then
// have the lock of a file that nobody finds any more, notice that, and go on with the new one
// within the same limit.
//
// The wait is a blocking call that a timer of this thread interrupts: trying again and again would
// either be late or burn time. The timer uses the signal SIGRTMAX - 1, which nothing else may use,
// and which this thread doesn't block while it waits. Whoever is interrupted by another signal
// waits on, behind those who came meanwhile.
Result<File> OpenLocked(FileSystem& files, const std::string& path, std::uint32_t mode,
                        Duration limit);

}  // namespace belay

#endif  // BELAY_OS_FILE_LOCK_H_
