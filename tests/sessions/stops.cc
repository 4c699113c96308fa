#include <fmt/core.h>

#include <algorithm>

#include "sessions/parts.h"

namespace belay {
namespace {

using std::chrono::milliseconds;

const std::vector<std::string> kAgents = {"a", "b", "c", "d"};

class Stopper {
 public:
  explicit Stopper(Place& place) : place_(place) {}

  void StopOne() {
    const std::string& name = kAgents[place_.Below(kAgents.size())];
    const std::string identity = Place::IdentityOf(name);
    if (place_.book().Of(identity).stopped) place_.Spawn(name, "idle");
    Disturb(name);
    place_.reports().Listen(place_.UpTo(milliseconds(200)));
    std::vector<std::string> words = {"stop", name};
    if (place_.Below(2) == 0) words.emplace_back("--now");
    Process stop = place_.Start(words);
    if (place_.Below(3) == 0) Disturb(name);
    const ExitStatus status = place_.Bury(stop);
    if (status != ExitStatus::Exited(0)) {
      place_.Add(Problem::Kind::kWrong, fmt::format("belay stop {}: {}", name, status.text()));
    }
    place_.reports().Drain();
    place_.book().Stopped(identity);
    ExpectGone(identity);
    place_.JudgeAlive();
    place_.Reap();
  }

  // A guardian that starts afresh brings back nobody of them either.
  void JudgeEnd() {
    std::vector<std::string> running;
    for (const std::string& name : kAgents) {
      if (!place_.book().Of(Place::IdentityOf(name)).stopped) running.push_back(name);
    }
    place_.KillGuardian();
    place_.StartGuardian();
    place_.ExpectSettled(running);
    for (const std::string& name : kAgents) {
      const bool stopped = place_.book().Of(Place::IdentityOf(name)).stopped;
      if (stopped) ExpectGone(Place::IdentityOf(name));
    }
  }

 private:
  void Disturb(const std::string& name) {
    switch (place_.Below(4)) {
      case 0:
        (void)place_.KillAgent(name);
        return;
      case 1:
        (void)place_.KillAgent(kAgents[place_.Below(kAgents.size())]);
        return;
      case 2:
        place_.KillGuardian();
        return place_.StartGuardian();
      default:
        return;
    }
  }

  void ExpectGone(const std::string& identity) {
    for (const Living& one : TakeCensus(place_.project().StateRoot())) {
      if (one.id.identity().text() != identity || !IsAlive(one.process)) continue;
      place_.Add(Problem::Kind::kRespawned, one.id.text() + " is alive after it was stopped");
    }
  }

  Place& place_;
};

}  // namespace

void StopAgents(Place& place, std::size_t stops, Counts& counts) {
  place.StartGuardian();
  for (const std::string& agent : kAgents) place.Spawn(agent, "idle");
  Stopper stopper(place);
  for (std::size_t i = 0; i < stops && place.problems().empty(); ++i) {
    stopper.StopOne();
    ++counts.stops;
  }
  if (place.problems().empty()) stopper.JudgeEnd();
}

}  // namespace belay
