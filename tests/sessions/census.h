// Who is alive of the agents of one project, as /proc tells: every process whose environment names
// the project's state root and an agent.

#ifndef BELAY_SESSIONS_CENSUS_H_
#define BELAY_SESSIONS_CENSUS_H_

#include <string>
#include <vector>

#include "base/ids.h"
#include "os/process_identity.h"

namespace belay {

struct Living {
  AgentId id;
  ProcessIdentity process;
  pid_t parent;
};

// Zombies and processes of others aren't seen.
std::vector<Living> TakeCensus(const std::string& state_root);

}  // namespace belay

#endif  // BELAY_SESSIONS_CENSUS_H_
