// From kill -9 to the record that an agent crashed, and to its successor: a hundred agents, each in
// a worktree of its own, killed one after the other, the next at a random moment soon after a
// successor has started: while the guardian still records that one, or when it sleeps again.
//
// Recorded: the guardian has printed it, which it does after the sync, and the record can be read.
// Running: as the successor reports, by the same clock. Every respawn is immediate, because an
// agent counts as healthy after a second here and is killed again only after all the others.

#include <fmt/core.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <random>
#include <set>

#include "bare_watcher.h"
#include "base/check.h"
#include "ledger/identity_ledger.h"
#include "process_facts.h"
#include "row.h"
#include "rows.h"
#include "scene.h"

namespace belay::bench {
namespace {

using Who = Happening::Who;

constexpr int kAgents = 100;
constexpr int kKills = 1000;
constexpr int kBareEvery = 2;  // kills for each kill of the floor
constexpr int kRoundsAtOnce = 5;
constexpr useconds_t kLongestPauseMicros = 60'000;
constexpr double kMostMillis = 20;
constexpr double kMostAtOnceMillis = 200;
constexpr double kMostRespawnMillis = 100;
constexpr auto kSettings =
    "supervise:\n  healthy_after: 1s\n  crash_window: 1s\n  most_crashes: 100\n";

// Durable and readable; aborts otherwise.
class Records {
 public:
  explicit Records(Scene& scene) : ledger_(scene.files(), clock_, scene.project()) {}

  void CheckCrashed(const std::string& agent) {
    BELAY_CHECK(ledger_.CatchUp().ok());
    const auto id = AgentId::Parse(agent);
    BELAY_CHECK(id.ok());
    const IdentityEntry* entry = ledger_.book().FindEntry(id->identity());
    BELAY_CHECK(entry != nullptr);
    const bool now = entry->present.id == *id && entry->present.status == AgentStatus::kCrashed;
    const bool before = entry->present.id.incarnation() > id->incarnation();
    BELAY_CHECK(now || before);
  }

 private:
  SystemClock clock_;
  IdentityLedger ledger_;
};

struct Times {
  std::vector<double> recorded;
  std::vector<double> running;
  std::vector<double> bare_woken;
  std::vector<double> bare_recorded;
  std::vector<double> bare_started;
};

std::string Successor(const std::string& agent) {
  const std::size_t hash = agent.find('#');
  return fmt::format("{}#{}", agent.substr(0, hash), std::stoi(agent.substr(hash + 1)) + 1);
}

void KillOne(Scene& scene, Records& records, const std::string& identity, Times& times) {
  const std::string agent = scene.AgentIdOf(identity);
  const std::string next = Successor(agent);
  scene.ForgetHappenings();
  const double start = MicrosNow();
  BELAY_CHECK(kill(scene.PidOf(identity), SIGKILL) == 0);
  const Happening crashed = scene.Await(Who::kGuardian, agent, "crashed");
  records.CheckCrashed(agent);
  times.recorded.push_back(crashed.micros - start);
  times.running.push_back(scene.Await(Who::kAgent, next, "").micros - start);
  (void)scene.Await(Who::kGuardian, next, "is running");
}

// As many processes watched as agents; one of them is ended.
void KillBare(Scene& scene, const BareWatcher& watcher, pid_t pid, Times& times) {
  double start = MicrosNow();
  BELAY_CHECK(kill(pid, SIGKILL) == 0);
  const BareWatcher::Seen seen = watcher.Next();
  times.bare_woken.push_back(seen.woken - start);
  times.bare_recorded.push_back(seen.recorded - start);
  BELAY_CHECK(waitpid(pid, nullptr, 0) == pid);
  start = MicrosNow();
  const pid_t one = scene.SpawnBare();
  times.bare_started.push_back(scene.Await(Who::kAgent, "floor", "").micros - start);
  BELAY_CHECK(kill(one, SIGKILL) == 0 && waitpid(one, nullptr, 0) == one);
}

Times KillInTurn(Scene& scene, const std::vector<std::string>& agents, const std::string& file) {
  Records records(scene);
  std::vector<pid_t> bare;
  for (int i = 0; i < kKills / kBareEvery; ++i) {
    bare.push_back(scene.SpawnBare());
    (void)scene.Await(Who::kAgent, "floor", "");
  }
  const BareWatcher watcher(bare, file);
  (void)watcher.Next();
  Times times;
  std::minstd_rand random;
  for (int i = 0; i < kKills; ++i) {
    (void)usleep(static_cast<useconds_t>(random()) % kLongestPauseMicros);
    KillOne(scene, records, agents[static_cast<std::size_t>(i % kAgents)], times);
    if (i % kBareEvery != 0) continue;
    KillBare(scene, watcher, bare.back(), times);
    bare.pop_back();
  }
  return times;
}

// Microseconds until the last of them is recorded; returns when all have successors.
double KillAll(Scene& scene, const std::vector<std::string>& agents) {
  std::vector<pid_t> pids;
  std::set<std::string> to_crash, to_come;
  for (const std::string& identity : agents) {
    pids.push_back(scene.PidOf(identity));
    to_crash.insert(scene.AgentIdOf(identity));
    to_come.insert(Successor(scene.AgentIdOf(identity)));
  }
  const double start = MicrosNow();
  for (const pid_t pid : pids) BELAY_CHECK(kill(pid, SIGKILL) == 0);
  double last = 0;
  while (!to_crash.empty() || !to_come.empty()) {
    const Happening next = scene.Next();
    if (next.who != Who::kGuardian) continue;
    if (next.text.starts_with("crashed") && to_crash.erase(next.agent) > 0) last = next.micros;
    if (next.text.starts_with("is running")) to_come.erase(next.agent);
  }
  return last - start;
}

bool PrintRecorded(const Times& times) {
  const double most = Largest(times.recorded) / 1000;
  return Print(
      {fmt::format("kill -9 to crashed on the disk, {} agents: largest of {}", kAgents, kKills),
       fmt::format("{:.1f} ms (median {:.2f})", most, Median(times.recorded) / 1000),
       fmt::format("{:.1f} ms (median {:.2f}), bare pidfd + write + sync",
                   Largest(times.bare_recorded) / 1000, Median(times.bare_recorded) / 1000),
       fmt::format("{:.2f}", Median(times.recorded) / Median(times.bare_recorded)),
       fmt::format("at most {} ms", kMostMillis), most <= kMostMillis});
}

bool PrintRunning(const Times& times) {
  const double took = Median(times.running) / 1000;
  const double start = Median(times.bare_started) / 1000;
  return Print({"kill -9 to successor running, first respawn: median",
                fmt::format("{:.1f} ms (largest {:.0f})", took, Largest(times.running) / 1000),
                fmt::format("{:.2f} ms, the agent's own start", start),
                fmt::format("{:.1f}", took / start),
                fmt::format("at most {} ms + that", kMostRespawnMillis),
                took <= kMostRespawnMillis + start});
}

bool PrintAtOnce(const std::vector<double>& rounds, const Times& times) {
  const double most = Largest(rounds) / 1000;
  return Print(
      {fmt::format("{} killed at once, all on the disk: largest of {}", kAgents, kRoundsAtOnce),
       fmt::format("{:.1f} ms (median {:.1f})", most, Median(rounds) / 1000),
       fmt::format("{:.2f} ms, pidfd wake-up of a bare program", Median(times.bare_woken) / 1000),
       "", fmt::format("at most {} ms", kMostAtOnceMillis), most <= kMostAtOnceMillis});
}

}  // namespace

bool DeathRows(const Programs& programs, ScratchFolder& scratch) {
  const double load = Load();
  Scene scene(programs, scratch.NewFolder("deaths") + "/p", kSettings);
  scene.StartGuardian();
  std::vector<std::string> agents;
  for (int i = 0; i < kAgents; ++i) {
    agents.push_back(scene.Spawn(fmt::format("a{}", i), true));
    (void)scene.Await(Who::kGuardian, agents.back() + "#1", "is running");
  }
  const Times times = KillInTurn(scene, agents, scratch.NewPath("bare"));
  std::vector<double> rounds;
  for (int i = 0; i < kRoundsAtOnce; ++i) rounds.push_back(KillAll(scene, agents));
  bool reached = PrintRecorded(times);
  reached &= PrintAtOnce(rounds, times);
  reached &= PrintRunning(times);
  (void)std::fprintf(stderr, "session_bench deaths: load %.1f before, %.1f after\n", load, Load());
  return reached;
}

}  // namespace belay::bench
