// What a process and all that descend from it are doing, as /proc tells at one moment.

#ifndef BELAY_OS_TREE_ACTIVITY_H_
#define BELAY_OS_TREE_ACTIVITY_H_

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace belay {

struct TreeProcess {
  pid_t pid;
  std::uint64_t start_time;  // in clock ticks since boot
};

struct TreeActivity {
  std::uint64_t cpu_ticks = 0;  // of all of them, and of their children that have ended
  std::uint64_t run_time =
      0;  // of those that are there, in nanoseconds: changes by whatever they do
  std::vector<std::vector<std::string>> commands = {};  // their arguments, parents first
  std::vector<TreeProcess> processes = {};              // whose arguments those are
};

// Only the tree itself is read, so it costs little on a machine with many processes. Whoever isn't
// there (any more) counts nothing.
TreeActivity LookAtTree(pid_t root);

}  // namespace belay

#endif  // BELAY_OS_TREE_ACTIVITY_H_
