// Keeps long-running, mostly idle processes small.

#ifndef BELAY_OS_MEMORY_H_
#define BELAY_OS_MEMORY_H_

#include <cstdint>
#include <string_view>

#include "os/file_system.h"

namespace belay {

// Returns unused memory to the kernel: freed blocks, and the unused end of the stack.
void ReturnFreeMemory();

// How many processes the kernel killed for lack of memory: in our control group, else on the whole
// machine. Only differences are meaningful.

// 0 when the kernel doesn't report it.
std::uint64_t OomKills(const FileSystem& files);

// The number after "oom_kill " at the beginning of a line; 0 when there is none.
std::uint64_t ParseOomKills(std::string_view text);

}  // namespace belay

#endif  // BELAY_OS_MEMORY_H_
