#include <fmt/core.h>

#include <algorithm>
#include <csignal>

#include "sessions/parts.h"

namespace belay {
namespace {

using std::chrono::milliseconds;

const std::vector<std::string> kAgents = {"a", "b", "c", "d"};

class Stopper {
 public:
  explicit Stopper(Place& place) : place_(place) {}

  void StopOne() {
    const std::string& name = Begin();
    Process stop = place_.Start(Words(name));
    if (place_.Below(3) == 0) Disturb(name);
    const ExitStatus status = place_.Bury(stop);
    if (status != ExitStatus::Exited(0)) {
      place_.Add(Problem::Kind::kWrong, fmt::format("belay stop {}: {}", name, status.text()));
    }
    JudgeStopped(name);
  }

  // Gives whether it was killed halfway.
  bool KillOne() {
    const std::string& name = Begin();
    Process stop = place_.Start(Words(name));
    place_.reports().Listen(place_.UpTo(milliseconds(80)));
    (void)stop.Signal(SIGKILL);
    const bool killed = place_.Bury(stop) == ExitStatus::Killed(SIGKILL);
    const std::optional<Identity> recorded = place_.Recorded(name);
    const bool meant =
        recorded && (recorded->status == AgentStatus::kTerminated || StopIsRequested(*recorded));
    if (!meant) {
      place_.ExpectSettled({name});
      return false;
    }
    place_.book().StoppedAt(Place::IdentityOf(name), recorded->id.incarnation());
    if (place_.Below(2) == 0) Disturb(name);
    Complete(name);
    return killed;
  }

  // A guardian that starts afresh restarts none of them either.
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
      if (stopped) place_.ExpectGone(Place::IdentityOf(name));
    }
  }

 private:
  // An agent that runs, and to which something may be happening.
  const std::string& Begin() {
    const std::string& name = kAgents[place_.Below(kAgents.size())];
    if (place_.book().Of(Place::IdentityOf(name)).stopped) place_.Spawn(name, "idle");
    Disturb(name);
    place_.reports().Listen(place_.UpTo(milliseconds(200)));
    return name;
  }

  std::vector<std::string> Words(const std::string& name) {
    std::vector<std::string> words = {"stop", name};
    if (place_.Below(2) == 0) words.emplace_back("--now");
    return words;
  }

  // By another one, which may have nothing to do any more.
  void Complete(const std::string& name) {
    Process stop = place_.Start({"stop", name});
    const ExitStatus status = place_.Bury(stop);
    if (status != ExitStatus::Exited(0) && status != ExitStatus::Exited(3)) {
      place_.Add(Problem::Kind::kWrong,
                 fmt::format("belay stop {}, again: {}", name, status.text()));
    }
    JudgeStopped(name);
  }

  void JudgeStopped(const std::string& name) {
    const std::string identity = Place::IdentityOf(name);
    place_.reports().Drain();
    place_.book().Stopped(identity);
    place_.ExpectGone(identity);
    place_.JudgeAlive();
    place_.Reap();
  }

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

  Place& place_;
};

void Begin(Place& place) {
  place.StartGuardian();
  for (const std::string& agent : kAgents) place.Spawn(agent, "idle");
}

}  // namespace

void StopAgents(Place& place, std::size_t stops, Counts& counts) {
  Begin(place);
  Stopper stopper(place);
  for (std::size_t i = 0; i < stops && place.problems().empty(); ++i) {
    stopper.StopOne();
    ++counts.stops;
  }
  if (place.problems().empty()) stopper.JudgeEnd();
}

void KillStops(Place& place, std::size_t kills, Counts& counts) {
  Begin(place);
  Stopper stopper(place);
  for (std::size_t i = 0; i < kills && place.problems().empty(); ++i) {
    counts.halfway += stopper.KillOne() ? 1 : 0;
    ++counts.stop_kills;
  }
  if (place.problems().empty()) stopper.JudgeEnd();
}

}  // namespace belay
