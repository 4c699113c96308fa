// Finds processes by what they were started with.

#ifndef BELAY_OS_PROCESS_SEARCH_H_
#define BELAY_OS_PROCESS_SEARCH_H_

#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "os/process.h"

namespace belay {

// Those whose environment held exactly all of these assignments ("NAME=value") when they were
// started, as far as we may look. The kernel is asked about every process: not for every day.
std::vector<Process> ProcessesStartedWith(const std::vector<std::string>& assignments);

// Those of a program ("git") that work in a folder, were started at most `age` ago and have no
// children: whoever has one waits for it. The folder is as /proc names it, without links. One whose
// folder we may not see is among them.
std::vector<Process> YoungLeaves(std::string_view program, const std::string& folder, Duration age);

}  // namespace belay

#endif  // BELAY_OS_PROCESS_SEARCH_H_
