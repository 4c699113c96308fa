// What the kernel says about a process, as text.

#ifndef BELAY_OS_PROC_FILE_H_
#define BELAY_OS_PROC_FILE_H_

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace belay {

// /proc/PID/NAME, at most so many bytes. Empty when it is gone, or when we may not look.
std::string ReadProcFile(pid_t pid, std::string_view name, std::size_t most);

}  // namespace belay

#endif  // BELAY_OS_PROC_FILE_H_
