// How often the kernel killed for want of memory: of the control group we are in, else of the whole
// machine. Only a difference means something.

#ifndef BELAY_OS_OOM_COUNT_H_
#define BELAY_OS_OOM_COUNT_H_

#include <cstdint>
#include <string_view>

#include "os/file_system.h"

namespace belay {

// 0 when nobody says.
std::uint64_t OomKills(const FileSystem& files);

// The number behind "oom_kill " at the beginning of a line; 0 when there is none.
std::uint64_t ParseOomKills(std::string_view text);

}  // namespace belay

#endif  // BELAY_OS_OOM_COUNT_H_
