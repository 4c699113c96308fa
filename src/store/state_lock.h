// A held lock, as an argument: a function that needs the lock takes a `const StateLock&`, and so
// can't be called without it.
//
// The lock is an flock on a file of its own. The destructor releases it, and so does the kernel
// when the process dies in any way. The file holds the pid of the holder, for messages only. The
// holder may remove the file as its last act: from then on other processes, including the waiting
// ones, can take a lock at that path.

#ifndef BELAY_STORE_STATE_LOCK_H_
#define BELAY_STORE_STATE_LOCK_H_

#include <string>

#include "base/result.h"
#include "base/time.h"
#include "os/file_system.h"

namespace belay {

class StateLock {
 public:
  // Waits at most `limit`; then kBusy, naming the process that holds it.
  static Result<StateLock> Acquire(FileSystem& files, const std::string& path, Duration limit);

  // Whether the locked file is still the one at `path`: if not, another process may hold a lock
  // there.
  bool IsAt(const FileSystem& files, const std::string& path) const;

 private:
  explicit StateLock(File file) : file_(std::move(file)) {}

  File file_;
};

}  // namespace belay

#endif  // BELAY_STORE_STATE_LOCK_H_
