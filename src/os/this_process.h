#ifndef BELAY_OS_THIS_PROCESS_H_
#define BELAY_OS_THIS_PROCESS_H_

#include <cstdint>

namespace belay {

// The number of the process that asks.
std::int64_t ThisProcess();

}  // namespace belay

#endif  // BELAY_OS_THIS_PROCESS_H_
