// A held lock, as an argument: a function that needs the lock takes a `const StateLock&`, and so
// can't be called without it.
//
// The lock is an flock on a file of its own. It is given up when the StateLock goes, and by the
// kernel when the process dies, however it dies. The file holds the number of the process that has
// it, for messages only. Whoever has the lock may remove the file as its last act: from then on
// others can have a lock at that path, those who were waiting too.

#ifndef BELAY_STORE_STATE_LOCK_H_
#define BELAY_STORE_STATE_LOCK_H_

#include <string>

#include "base/result.h"
#include "base/time.h"
#include "os/file_system.h"

namespace belay {

class StateLock {
 public:
  // Waits at most `limit`; then kBusy, naming the process that has it.
  static Result<StateLock> Acquire(FileSystem& files, const std::string& path, Duration limit);

  // Whether the file that is locked is still the one at `path`: without it another one may be.
  bool IsAt(const FileSystem& files, const std::string& path) const;

 private:
  explicit StateLock(File file) : file_(std::move(file)) {}

  File file_;
};

}  // namespace belay

#endif  // BELAY_STORE_STATE_LOCK_H_
