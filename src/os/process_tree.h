// Who descends from whom, at one moment, as /proc tells. Processes come and go while it is read:
// what was seen may be gone, and one that was born meanwhile may be missing. Ask again.

#ifndef BELAY_OS_PROCESS_TREE_H_
#define BELAY_OS_PROCESS_TREE_H_

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "os/proc_stat.h"

namespace belay {

struct SeenProcess {
  pid_t pid;
  ProcStat stat;
};

class ProcessTree {
 public:
  // Of all processes that we can see: about ten microseconds for each.
  static Result<ProcessTree> Read();

  // Nothing when it wasn't there.
  const ProcStat* Find(pid_t pid) const;
  // Children, their children and so on, parents first; without the process itself. Zombies too.
  std::vector<SeenProcess> Descendants(pid_t pid) const;
  // What it, its descendants and those of them that were reaped have used of the processors: in
  // clock ticks. It can shrink when an orphan leaves the tree.
  std::uint64_t CpuTicks(pid_t pid) const;

 private:
  std::map<pid_t, ProcStat> processes_;
  std::multimap<pid_t, pid_t> children_;
};

// "sh -c make", one line that a terminal can show, at most `length` code points; "[name]" for a
// process that has none; empty when it is gone.
std::string CommandLineOf(pid_t pid, std::size_t length);

// Whether this process has a child that it didn't reap: if not, nobody descends from it.
bool HasChildren();

}  // namespace belay

#endif  // BELAY_OS_PROCESS_TREE_H_
