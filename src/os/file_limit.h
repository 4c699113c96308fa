// How many descriptors this process may have open (RLIMIT_NOFILE). The usual limit of 1024 is
// there for programs that use select(2); whoever watches many others needs more.

#ifndef BELAY_OS_FILE_LIMIT_H_
#define BELAY_OS_FILE_LIMIT_H_

#include <sys/resource.h>

#include <optional>

namespace belay {

// As many as the kernel lets us have, from now on. What we start gets the limit that was before
// (os/spawn.h): a program may take it for the number of descriptors to close.
void RaiseFileLimit();

// While it lives, the limit is what it was before RaiseFileLimit. What is open stays open.
class FileLimitOfBefore {
 public:
  FileLimitOfBefore();
  FileLimitOfBefore(const FileLimitOfBefore&) = delete;
  FileLimitOfBefore& operator=(const FileLimitOfBefore&) = delete;
  ~FileLimitOfBefore();

 private:
  std::optional<rlimit> raised_;
};

}  // namespace belay

#endif  // BELAY_OS_FILE_LIMIT_H_
