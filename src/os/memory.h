// Being small: for processes that live long and do little.

#ifndef BELAY_OS_MEMORY_H_
#define BELAY_OS_MEMORY_H_

#include <cstdint>
#include <string_view>

#include "os/file_system.h"

namespace belay {

// Gives memory that isn't in use back to the kernel: what was freed, and the deep end of the stack.
void ReturnFreeMemory();

// How often the kernel killed for want of memory: of the control group we are in, else of the whole
// machine. Only a difference means something.

// 0 when nobody says.
std::uint64_t OomKills(const FileSystem& files);

// The number behind "oom_kill " at the beginning of a line; 0 when there is none.
std::uint64_t ParseOomKills(std::string_view text);

}  // namespace belay

#endif  // BELAY_OS_MEMORY_H_
