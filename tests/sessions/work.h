// Agents that write files, and what must be found of these when one of them has ended and its
// successor waits at its gate.

#ifndef BELAY_SESSIONS_WORK_H_
#define BELAY_SESSIONS_WORK_H_

#include <functional>
#include <string>
#include <vector>

#include "sessions/place.h"

namespace belay {

struct Worker {
  std::string name;
  std::string worktree;
};

// Two in the main worktree and one in its own, writing.
std::vector<Worker> SpawnWorkers(Place& place);

// In the middle of a file, as far as chance goes, `end` ends it; then it is judged what is in the
// tree and in the snapshot, and its successor goes on.
void EndInTheMiddle(Place& place, const Worker& worker, const std::function<bool()>& end);

}  // namespace belay

#endif  // BELAY_SESSIONS_WORK_H_
