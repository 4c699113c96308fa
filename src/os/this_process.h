// What a process may want to know about itself.

#ifndef BELAY_OS_THIS_PROCESS_H_
#define BELAY_OS_THIS_PROCESS_H_

#include <cstdint>

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

}  // namespace belay

#endif  // BELAY_OS_THIS_PROCESS_H_
