// Finds processes by what they were started with.

#ifndef BELAY_OS_PROCESS_SEARCH_H_
#define BELAY_OS_PROCESS_SEARCH_H_

#include <string>
#include <vector>

#include "os/process.h"

namespace belay {

// Those whose environment held exactly all of these assignments ("NAME=value") when they were
// started, as far as we may look. The kernel is asked about every process: not for every day.
std::vector<Process> ProcessesStartedWith(const std::vector<std::string>& assignments);

}  // namespace belay

#endif  // BELAY_OS_PROCESS_SEARCH_H_
