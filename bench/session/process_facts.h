// What /proc reports about processes.

#ifndef BELAY_BENCH_SESSION_PROCESS_FACTS_H_
#define BELAY_BENCH_SESSION_PROCESS_FACTS_H_

#include <sys/types.h>

#include <string>
#include <vector>

namespace belay::bench {

std::vector<pid_t> ChildrenOf(pid_t pid);

// In kilobytes.
struct Memory {
  double proportional = 0;  // shared pages count proportionally
  double resident = 0;
  double own = 0;  // not shared
};
Memory MemoryOf(pid_t pid);

// How often it was woken up.
double WakeUpsOf(pid_t pid);

// The one-minute load of the machine, to judge the figures by.
double Load();

}  // namespace belay::bench

#endif  // BELAY_BENCH_SESSION_PROCESS_FACTS_H_
