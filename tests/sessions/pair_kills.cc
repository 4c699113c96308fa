#include "sessions/parts.h"
#include "sessions/work.h"

namespace belay {
namespace {

// In both orders; sometimes the agent too, right after its terminal was closed.
bool KillPair(Place& place, const std::string& name) {
  const std::uint32_t present = place.book().Of(Place::IdentityOf(name)).incarnation;
  const bool guardian_first = place.Below(2) == 0;
  if (guardian_first) place.KillGuardian();
  const bool killed = place.KillExec(name, present);
  if (guardian_first && place.Below(2) == 0) (void)place.KillAgent(name);
  if (!guardian_first) place.KillGuardian();
  place.StartGuardian();
  return killed;
}

}  // namespace

void KillPairs(Place& place, std::size_t kills, Counts& counts) {
  place.StartGuardian();
  const std::vector<Worker> workers = SpawnWorkers(place);
  for (std::size_t i = 0; i < kills && place.problems().empty(); ++i) {
    const Worker& worker = workers[place.Below(workers.size())];
    EndInTheMiddle(place, worker, [&] { return KillPair(place, worker.name); });
    place.JudgeAlive();
    place.Reap();
    ++counts.pair_kills;
    counts.files += place.book().Of(Place::IdentityOf(worker.name)).slots.size();
  }
}

}  // namespace belay
