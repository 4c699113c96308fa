// Who started a process, and who started that one, up to the first of all.

#ifndef BELAY_OS_ANCESTRY_H_
#define BELAY_OS_ANCESTRY_H_

#include <sys/types.h>

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

}  // namespace belay

#endif  // BELAY_OS_ANCESTRY_H_
