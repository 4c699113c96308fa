#include "sessions/parts.h"

namespace belay {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const std::vector<std::string> kGuardedAgents = {"a", "b", "c"};

// Sometimes soon after its start; sometimes somewhere between a death and the respawn; sometimes at
// the moment a successor says that it is there.
void WaitForMoment(Place& place) {
  const std::size_t starts = place.book().starts();
  const auto came_back = [&] { return place.book().starts() > starts; };
  switch (place.Below(3)) {
    case 0:
      return place.reports().Listen(place.UpTo(milliseconds(30)));
    case 1:
      return place.reports().Listen(place.UpTo(milliseconds(250)));
    default:
      (void)place.reports().Listen(seconds(2), came_back);
      return place.reports().Listen(place.UpTo(milliseconds(5)));
  }
}

}  // namespace

void KillGuardians(Place& place, std::size_t kills, Counts& counts) {
  place.StartGuardian();
  for (const std::string& agent : kGuardedAgents) place.Spawn(agent, "idle");
  const std::size_t starts = place.book().starts();
  for (std::size_t i = 0; i < kills && place.problems().empty(); ++i) {
    for (std::size_t victims = place.Below(3); victims > 0; --victims) {
      (void)place.KillAgent(kGuardedAgents[place.Below(kGuardedAgents.size())]);
    }
    WaitForMoment(place);
    place.KillGuardian();
    place.JudgeAlive();
    place.Reap();
    place.StartGuardian();
    ++counts.guardian_kills;
  }
  place.ExpectSettled(kGuardedAgents);
  counts.respawns += place.book().starts() - starts;
}

}  // namespace belay
