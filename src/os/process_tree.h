// The process tree at one moment, from /proc. Processes come and go while it is read: a listed one
// may be gone, and a new one may be missing. Read again to be sure.

#ifndef BELAY_OS_PROCESS_TREE_H_
#define BELAY_OS_PROCESS_TREE_H_

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "os/process.h"
#include "os/process_identity.h"

namespace belay {

struct SeenProcess {
  pid_t pid;
  ProcStat stat;
};

class ProcessTree {
 public:
  // Of all visible processes: about ten microseconds each.
  static Result<ProcessTree> Read();

  // Null when it wasn't there.
  const ProcStat* Find(pid_t pid) const;
  // Children, their children and so on, parents first; without the process itself. Zombies too.
  std::vector<SeenProcess> Descendants(pid_t pid) const;

 private:
  std::map<pid_t, ProcStat> processes_;
  std::multimap<pid_t, pid_t> children_;
};

// "sh -c make", one line that is safe for a terminal, at most `length` code points; "[name]" for a
// process without arguments; empty when it is gone.
std::string CommandLineOf(pid_t pid, std::size_t length);

// Whether this process has a child that it didn't reap: if not, it has no descendants.
bool HasChildren();

// What a process and all its descendants are doing, from /proc at one moment.

struct TreeProcess {
  pid_t pid;
  std::uint64_t start_time;  // in clock ticks since boot
};

struct TreeActivity {
  std::uint64_t cpu_ticks = 0;  // of all of them, and of their ended children
  std::uint64_t run_time = 0;   // of the running ones, in nanoseconds: changes with any activity
  std::vector<std::vector<std::string>> commands = {};  // their arguments, parents first
  std::vector<TreeProcess> processes = {};              // whose arguments those are
};

// Reads only the tree itself, so it is cheap on a machine with many processes. A process that
// doesn't exist (any more) counts nothing.
TreeActivity ReadTreeActivity(pid_t root);

// Finds processes by how they were started.

// The processes whose environment held all of these assignments ("NAME=value") at their start, as
// far as we may read it. Asks the kernel about every process, so it is slow.
std::vector<Process> ProcessesStartedWith(const std::vector<std::string>& assignments);

// Processes of a program ("git") that work in a folder, were started at most `age` ago and have no
// children: one with a child waits for it. The folder is as /proc shows it, without links. A
// process whose folder we may not see is included.
std::vector<Process> YoungLeaves(std::string_view program, const std::string& folder, Duration age);

// A process and its ancestors, up to the first process.

struct Ancestor {
  ProcessIdentity process;
  // The requested variables at the start of the program; later changes by the process don't show.
  // None also when we may not read them.
  std::map<std::string, std::string, std::less<>> variables = {};
  std::string program = {};               // as ProgramFileOf
  std::vector<std::string> command = {};  // the beginning of its arguments
};

struct Ancestry {
  // Far more than a person's shells and scripts. A bound, in case changes in /proc form a cycle.
  static constexpr std::size_t kMostAncestors = 1000;

  enum class End {
    kFirst,   // up to the first process of all, or of the container
    kHidden,  // up to another user's process that we may not inspect
    kLost,    // an ancestor ended during every attempt
    kDeep,    // there are more than kMostAncestors
    kUnseen,  // /proc can't be used (BootId)
  };
  // That process first, then its parent, and so on. Empty unless the end is kFirst or kHidden.
  std::vector<Ancestor> chain = {};
  End end = End::kLost;
  bool at_terminal = false;  // that process has a controlling terminal
};

// Walks again when a process ended during the walk: its children have another parent then.
Ancestry AncestryOf(pid_t pid, const std::vector<std::string>& variables);

// Identifies a process within one boot.
struct AncestorId {
  pid_t pid;
  std::uint64_t start_time;  // in clock ticks since boot

  bool operator==(const AncestorId&) const = default;
};

// The ancestors of a process, its parent first, without the first process: at most `most`, up to
// one that isn't visible. Fast: one pass, which reads only parents.
std::vector<AncestorId> AncestorIds(pid_t pid, std::size_t most);

// The executable file of a process; empty when it isn't visible.
std::string ProgramFileOf(pid_t pid);

}  // namespace belay

#endif  // BELAY_OS_PROCESS_TREE_H_
