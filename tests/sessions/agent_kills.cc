#include "sessions/parts.h"
#include "sessions/work.h"

namespace belay {

void KillAgents(Place& place, std::size_t kills, Counts& counts) {
  place.StartGuardian();
  const std::vector<Worker> workers = SpawnWorkers(place);
  for (std::size_t i = 0; i < kills && place.problems().empty(); ++i) {
    const Worker& worker = workers[place.Below(workers.size())];
    EndInTheMiddle(place, worker, [&] { return place.KillAgent(worker.name); });
    place.JudgeAlive();
    place.Reap();
    ++counts.agent_kills;
    counts.files += place.book().Of(Place::IdentityOf(worker.name)).slots.size();
  }
}

}  // namespace belay
