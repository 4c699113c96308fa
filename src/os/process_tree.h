// Who descends from whom, at one moment, as /proc tells. Processes come and go while it is read:
// what was seen may be gone, and one that was born meanwhile may be missing. Ask again.

#ifndef BELAY_OS_PROCESS_TREE_H_
#define BELAY_OS_PROCESS_TREE_H_

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "os/proc_stat.h"
#include "os/process.h"
#include "os/process_identity.h"

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

 private:
  std::map<pid_t, ProcStat> processes_;
  std::multimap<pid_t, pid_t> children_;
};

// "sh -c make", one line that a terminal can show, at most `length` code points; "[name]" for a
// process that has none; empty when it is gone.
std::string CommandLineOf(pid_t pid, std::size_t length);

// Whether this process has a child that it didn't reap: if not, nobody descends from it.
bool HasChildren();

// What a process and all that descend from it are doing, as /proc tells at one moment.

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

// Finds processes by what they were started with.

// Those whose environment held exactly all of these assignments ("NAME=value") when they were
// started, as far as we may look. The kernel is asked about every process: not for every day.
std::vector<Process> ProcessesStartedWith(const std::vector<std::string>& assignments);

// Those of a program ("git") that work in a folder, were started at most `age` ago and have no
// children: whoever has one waits for it. The folder is as /proc names it, without links. One whose
// folder we may not see is among them.
std::vector<Process> YoungLeaves(std::string_view program, const std::string& folder, Duration age);

// Who started a process, and who started that one, up to the first of all.

struct Ancestor {
  ProcessIdentity process;
  // Those of the variables that were asked for, as they were when the program was started: whatever
  // the process does to its environment later, these stay. None also when we may not look.
  std::map<std::string, std::string, std::less<>> variables = {};
  std::string program = {};               // as ProgramFileOf
  std::vector<std::string> command = {};  // its arguments, the beginning of them
};

struct Ancestry {
  enum class End {
    kFirst,   // up to the first process of all, or of the container
    kHidden,  // up to one of another user that we may not look at
    kLost,    // one ended while we looked, each time we tried
  };
  std::vector<Ancestor> chain = {};  // that process first, then its parent, and so on
  End end = End::kLost;
  bool at_terminal = false;  // that process has a controlling terminal
};

// Walks again when a process ended meanwhile: those below it have another parent then.
Ancestry AncestryOf(pid_t pid, const std::vector<std::string>& variables);

// A process as it is named in one boot.
struct ProcessAbove {
  pid_t pid;
  std::uint64_t start_time;  // in clock ticks since boot

  bool operator==(const ProcessAbove&) const = default;
};

// Those above a process, its parent first, without the first of all: at most so many, up to where
// one can't be seen. Quick: looks once, and only at who started whom.
std::vector<ProcessAbove> ProcessesAbove(pid_t pid, std::size_t most);

// The file of the program that a process runs; empty when that can't be seen.
std::string ProgramFileOf(pid_t pid);

}  // namespace belay

#endif  // BELAY_OS_PROCESS_TREE_H_
