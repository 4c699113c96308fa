#include <fmt/core.h>

#include <algorithm>

#include "os/clock.h"
#include "sessions/judge.h"
#include "sessions/parts.h"

namespace belay {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Duration kMostBack = seconds(1);

const std::vector<std::string> kAgents = {"a", "b", "c"};

struct Records {
  Json agents;
  std::vector<Json> hooks;
};

class Cleaner {
 public:
  explicit Cleaner(Place& place) : place_(place) {}

  // Gives how long it took until everything was there again.
  Duration CleanOnce(std::size_t number) {
    const std::string& noted = kAgents[place_.Below(kAgents.size())];
    Process note = place_.Start({"hook", "note", noted, fmt::format("cleaning {}", number)});
    if (place_.Bury(note) != ExitStatus::Exited(0)) {
      place_.Add(Problem::Kind::kWrong, "belay hook note fails");
    }
    const Records before = Read();
    if (place_.Below(2) == 0) (void)place_.KillAgent(kAgents[place_.Below(kAgents.size())]);
    place_.reports().Listen(place_.UpTo(milliseconds(150)));
    Clean();
    const Duration back = MeasureBack();
    if (place_.Below(2) == 0) (void)place_.KillAgent(kAgents[place_.Below(kAgents.size())]);
    Compare(before, Read());
    // The settings are the person's own, and gone with the folder.
    (void)place_.Git({"checkout", "-q", "--", ".claude"});
    return back;
  }

 private:
  void Clean() {
    switch (place_.Below(3)) {
      case 0:
        (void)place_.Git({"clean", "-fdxq"});
        return;
      case 1:
        (void)place_.Git({"stash", "-a", "-q"});
        (void)place_.Git({"stash", "drop", "-q"});
        return;
      default:
        (void)place_.Run({"rm", "-rf", ".claude"});
    }
  }

  bool IsAllBack() {
    const Layout& project = place_.project();
    for (const std::string& agent : kAgents) {
      const IdentityName name = *IdentityName::Parse(Place::IdentityOf(agent));
      if (!JudgeStateFile(place_.files(), project.IdentityRendering(name)).empty()) return false;
      if (!JudgeStateFile(place_.files(), project.HookRendering(name)).empty()) return false;
    }
    const IdentityName guardian = *IdentityName::Make("guardian", "main");
    return JudgeStateFile(place_.files(), project.IdentityRendering(guardian)).empty();
  }

  Duration MeasureBack() {
    const MonotonicTime begin = clock_.Monotonic();
    Duration passed{};
    while (!IsAllBack() && passed < seconds(10)) {
      place_.reports().Listen(milliseconds(1));
      passed = clock_.Monotonic() - begin;
    }
    if (passed > kMostBack) {
      place_.Add(Problem::Kind::kLost,
                 fmt::format("renderings were away for {} ms", passed / milliseconds(1)));
    }
    return passed;
  }

  Records Read() {
    Records records{place_.BelayJson({"agents", "--all"}), {}};
    for (const std::string& agent : kAgents) {
      records.hooks.push_back(place_.BelayJson({"hook", "show", agent}));
    }
    return records;
  }

  void Compare(const Records& before, const Records& after) {
    place_.Add(JudgeAgents(before.agents, after.agents));
    for (std::size_t i = 0; i < kAgents.size(); ++i) {
      place_.Add(JudgeNotes(before.hooks[i], after.hooks[i]));
    }
  }

  Place& place_;
  SystemClock clock_;
};

}  // namespace

void CleanCarelessly(Place& place, std::size_t cleanings, Counts& counts) {
  place.StartGuardian();
  for (const std::string& agent : kAgents) place.Spawn(agent, "idle");
  Cleaner cleaner(place);
  for (std::size_t i = 0; i < cleanings && place.problems().empty(); ++i) {
    counts.longest_back = std::max(counts.longest_back, cleaner.CleanOnce(i));
    place.JudgeAlive();
    place.Reap();
    ++counts.cleanings;
  }
  place.ExpectSettled(kAgents);
}

}  // namespace belay
