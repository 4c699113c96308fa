// Who started a process, and who started that one, up to the first of all.

#ifndef BELAY_OS_ANCESTRY_H_
#define BELAY_OS_ANCESTRY_H_

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "os/process_identity.h"

namespace belay {

struct Ancestor {
  ProcessIdentity process;
  // The variable that was asked for, as it was when the program was started: whatever the process
  // does to its environment later, this stays. Nothing also when we may not look.
  std::optional<std::string> variable = {};
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
Ancestry AncestryOf(pid_t pid, const std::string& variable);

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

#endif  // BELAY_OS_ANCESTRY_H_
