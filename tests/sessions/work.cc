#include "sessions/work.h"

#include <fmt/core.h>

#include "base/path.h"
#include "sessions/judge.h"

namespace belay {
namespace {

using std::chrono::microseconds;
using std::chrono::seconds;

std::string NewestSnapshot(Place& place, const std::string& identity) {
  const Json record = place.BelayJson({"snapshot", "list", identity});
  const Json* list = record.Find("snapshots");
  std::string newest;
  std::uint64_t highest = 0;
  for (const Json& one : list != nullptr && list->AsArray() ? *list->AsArray() : Json::Array()) {
    const std::string id = *one.Find("id")->AsString();
    const std::uint64_t number = std::stoull(id.substr(id.rfind('/') + 1));
    if (number < highest) continue;
    highest = number;
    newest = *one.Find("commit")->AsString();
  }
  return newest;
}

void JudgeTree(Place& place, const Worker& worker) {
  const std::string identity = Place::IdentityOf(worker.name);
  const AgentLog& log = place.book().Of(identity);
  const std::string folder = JoinPath(worker.worktree, "work/" + identity);
  place.Add(JudgeWork(place.files(), folder, identity, log));
  const std::string commit = NewestSnapshot(place, identity);
  const RunOutcome listing = place.Git({"ls-tree", "-r", commit + "^3"});
  place.Add(JudgeSnapshot(place.files(), folder, listing.out, log));
  if (!place.problems().empty()) {
    place.Add(Problem::Kind::kWrong,
              fmt::format("{} after {}, snapshot {}", identity, log.incarnation - 1, commit));
  }
}

// In the middle of a file, as far as chance goes.
void WaitForMoment(Place& place, const std::string& identity) {
  const std::uint64_t wanted = place.book().Of(identity).begun + 1 + place.Below(12);
  (void)place.reports().Listen(seconds(30),
                               [&] { return place.book().Of(identity).begun >= wanted; });
  place.reports().Listen(place.UpTo(microseconds(300)));
}

}  // namespace

std::vector<Worker> SpawnWorkers(Place& place) {
  const std::string root = place.project().Root();
  std::vector<Worker> workers = {
      {"a", root},
      {"b", root},
      {"c", place.project().NewWorktree(*IdentityName::Parse(Place::IdentityOf("c")))}};
  for (const Worker& worker : workers) {
    const bool own = worker.worktree != root;
    place.Spawn(
        worker.name, "work",
        own ? std::vector<std::string>{"--new-worktree", "side"} : std::vector<std::string>{});
    place.OpenGate(worker.name, 1);
  }
  return workers;
}

void EndInTheMiddle(Place& place, const Worker& worker, const std::function<bool()>& end) {
  const std::string identity = Place::IdentityOf(worker.name);
  WaitForMoment(place, identity);
  const std::uint32_t before = place.book().Of(identity).incarnation;
  if (!end()) return place.Add(Problem::Kind::kWrong, identity + " doesn't run");
  // Its successor waits at the gate, so that no process changes what it left.
  const auto came_back = [&] { return place.book().Of(identity).incarnation > before; };
  if (!place.reports().Listen(seconds(60), came_back)) {
    return place.Add(Problem::Kind::kWrong, identity + " isn't brought back");
  }
  JudgeTree(place, worker);
  place.OpenGate(worker.name, place.book().Of(identity).begun + 1);
}

}  // namespace belay
