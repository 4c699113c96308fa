#include "sessions/parts.h"
#include "sessions/work.h"

namespace belay {
namespace {

using std::chrono::milliseconds;

const std::string kIdle = "idle";

// Somewhere between its start, the agent's start and the guardian's knowing of it.
bool KillStarting(Place& place) {
  const std::uint32_t present = place.book().Of(Place::IdentityOf(kIdle)).incarnation;
  return place.KillAgent(kIdle) && place.KillExec(kIdle, present + 1, place.UpTo(milliseconds(8)));
}

bool KillRunning(Place& place, const std::string& name) {
  return place.KillExec(name, place.book().Of(Place::IdentityOf(name)).incarnation);
}

}  // namespace

void KillExecs(Place& place, std::size_t kills, Counts& counts) {
  place.StartGuardian();
  place.Spawn(kIdle, "idle");
  const std::vector<Worker> workers = SpawnWorkers(place);
  for (std::size_t i = 0; i < kills && place.problems().empty(); ++i) {
    if (i % 2 == 0) {
      if (!KillStarting(place)) place.Add(Problem::Kind::kWrong, "no exec of a successor");
      place.ExpectSettled({kIdle});
    } else {
      const Worker& worker = workers[place.Below(workers.size())];
      EndInTheMiddle(place, worker, [&] { return KillRunning(place, worker.name); });
      counts.files += place.book().Of(Place::IdentityOf(worker.name)).slots.size();
    }
    place.JudgeAlive();
    place.Reap();
    ++counts.exec_kills;
  }
}

}  // namespace belay
