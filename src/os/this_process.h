// What a process may want to know about itself.

#ifndef BELAY_OS_THIS_PROCESS_H_
#define BELAY_OS_THIS_PROCESS_H_

#include <sys/resource.h>

#include <cstdint>
#include <optional>
#include <string>

#include "os/file_system.h"

namespace belay {

// The number of the process that asks.
std::int64_t ThisProcess();
// The user it acts for.
std::uint32_t ThisUser();

// Goes on as two: true in a new process that nobody waits for, with a session of its own and
// nothing to read from or write to; false in the one that was there, also when there is no other.
bool GoOnInBackground();

// The permissions that its new files don't get (umask). Asked of /proc, since the system call can
// only tell by changing it, for all threads; 022 if that doesn't say.
std::uint32_t FileCreationMask(const FileSystem& files);

// Absolute; "." when it has been removed meanwhile, which every use of it will report.
std::string CurrentFolder();

// How many descriptors this process may have open (RLIMIT_NOFILE). The usual limit of 1024 is
// there for programs that use select(2); whoever watches many others needs more.

// As many as the kernel lets us have, from now on. What we start gets the limit that was before
// (os/process.h): a program may take it for the number of descriptors to close.
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

#endif  // BELAY_OS_THIS_PROCESS_H_
