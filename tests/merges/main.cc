// Kills a merge queue at work, for real, and looks whether it ends as it would have undisturbed.
//
//   merge_campaign --belay PATH [--kills N] [--seed S] [--points STRIDE]
//   merge_campaign --belay PATH --beside-a-person LANDINGS [--kills N] [--seed S]
//
// Random work is queued (work.h). `belay merge-queue process --all` is killed with SIGKILL at a
// moment chosen by chance, again and again, then runs to its end; what it comes to is compared with
// the same work landed by hand (reference.h). Every other kill hits belay alone, so that its git
// goes on without it; the others hit all that it had started. A git that is killed leaves its
// locks, which a person has to remove, as belay says: so does the campaign, and counts them.
//
// With --points, it is killed at each STRIDE-th point of its work instead (killed_at_point.h), each
// in a queue of its own.
//
// With --beside-a-person, a person edits and commits in main's checkout at the same time
// (beside_person.h).
//
// The seed decides the work and when is killed, but not how fast the machine is: the same seed
// gives the same plan, not the same run.

#include <fmt/core.h>

#include <filesystem>
#include <optional>
#include <random>

#include "base/check.h"
#include "killed_at_point.h"
#include "merges/beside_person.h"
#include "merges/queue.h"
#include "os/process.h"
#include "os/random.h"
#include "testing/whole_number.h"

namespace belay {
namespace {

namespace fs = std::filesystem;
using Chance = std::mt19937_64;

constexpr std::size_t kBranches = 6;
constexpr std::size_t kKillsARound = 6;
constexpr std::uint64_t kLatest = 300'000;  // microseconds

struct Options {
  std::string belay;
  std::uint64_t kills = 30;
  std::uint64_t seed = 0;
  std::uint64_t stride = 0;
  std::uint64_t landings = 0;  // beside a person
};

struct Totals {
  std::uint64_t kills = 0;
  std::uint64_t rounds = 0;
  std::uint64_t entries = 0;
  std::uint64_t locks = 0;
};

std::optional<Options> ParseOptions(const std::vector<std::string>& words) {
  Options options;
  options.seed = SystemRandom().Next64() % 1'000'000'000;
  for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
    if (words[i] == "--belay") {
      options.belay = words[i + 1];
    } else if (words[i] == "--kills") {
      options.kills = WholeNumber(words[i + 1]);
    } else if (words[i] == "--seed") {
      options.seed = WholeNumber(words[i + 1]);
    } else if (words[i] == "--beside-a-person") {
      options.landings = WholeNumber(words[i + 1]);
    } else if (words[i] == "--points") {
      options.stride = WholeNumber(words[i + 1]);
    } else {
      return std::nullopt;
    }
  }
  if (words.size() % 2 != 0 || options.belay.empty()) return std::nullopt;
  return options;
}

// False when it came to its end before.
bool RunAndKill(const WorkQueue& queue, Chance& chance) {
  auto belay = Process::Spawn({.command = queue.ProcessCommand(),
                               .folder = queue.repository().path(),
                               .environment = WorkQueue::Variables(),
                               .group = SpawnGroup::kNewSession});
  BELAY_CHECK(belay.has_value());
  const bool all = chance() % 2 == 0;
  if (belay->WaitAtMost(std::chrono::microseconds(chance() % kLatest))) return false;
  (void)KillProcess(*belay, all);
  return true;
}

std::uint64_t RemoveLocks(const GitRepository& repository) {
  std::vector<fs::path> locks;
  for (const auto& file : fs::recursive_directory_iterator(repository / ".git")) {
    const bool ours = file.path().native().find("/belay/locks/") != std::string::npos;
    if (file.path().extension() == ".lock" && !ours) locks.push_back(file.path());
  }
  for (const fs::path& lock : locks) fs::remove(lock);
  return locks.size();
}

bool Judge(const WorkQueue& queue, const Landed& wanted) {
  const std::string problems = Difference(wanted, queue.Outcome()) + queue.Problems();
  fmt::print("{}", problems);
  return problems.empty();
}

bool RunRound(const Options& options, Chance& chance, Totals& totals) {
  const WorkQueue queue(options.belay, MakeWork(chance(), kBranches));
  const Landed wanted = queue.Reference();
  for (std::size_t i = 0; i < kKillsARound && totals.kills < options.kills; ++i) {
    if (!RunAndKill(queue, chance)) break;
    ++totals.kills;
  }
  totals.locks += RemoveLocks(queue.repository());
  ++totals.rounds;
  totals.entries += kBranches;
  return queue.ProcessToTheEnd() && Judge(queue, wanted);
}

// Nothing when there are fewer points than that.
std::optional<bool> KillAtPoint(const Options& options, const Work& work, std::uint64_t number) {
  const WorkQueue queue(options.belay, work);
  const Landed wanted = queue.Reference();
  std::vector<std::string> environment;
  for (const auto& [name, value] : WorkQueue::Variables())
    environment.push_back(name + "=" + value);
  KilledAtPoint killed(queue.ProcessCommand(), queue.repository().path(), environment);
  std::string where;
  const bool was_killed = killed.Run([&](const std::string& point) {
    where = point;
    return --number == 0;
  });
  if (!was_killed) return std::nullopt;
  const bool good = queue.ProcessToTheEnd() && Judge(queue, wanted);
  if (!good) fmt::print("killed {}\n", where);
  return good;
}

bool RunPoints(const Options& options, Chance& chance, Totals& totals) {
  const Work work = MakeWork(chance(), 3);
  for (std::uint64_t number = 1;; number += options.stride) {
    const std::optional<bool> good = KillAtPoint(options, work, number);
    if (!good) return true;
    ++totals.kills;
    ++totals.rounds;
    totals.entries += work.branches.size();
    if (!*good) return false;
  }
}

int RunCampaign(const Options& options) {
  Chance chance(options.seed);
  Totals totals;
  bool good = true;
  if (options.stride > 0) {
    good = RunPoints(options, chance, totals);
  } else {
    while (good && totals.kills < options.kills) good = RunRound(options, chance, totals);
  }
  fmt::print("merge campaign: {} kills, {} queues, {} entries, {} locks of killed gits: {}\n",
             totals.kills, totals.rounds, totals.entries, totals.locks,
             good ? "all as by hand" : fmt::format("wrong, seed {}", options.seed));
  return good ? 0 : 1;
}

}  // namespace
}  // namespace belay

int main(int argc, char** argv) {
  const std::optional<belay::Options> options = belay::ParseOptions({argv + 1, argv + argc});
  if (options && options->landings > 0) {
    return belay::LandBesideAPerson(
        {options->belay, options->landings, options->kills, options->seed});
  }
  if (options) return belay::RunCampaign(*options);
  fmt::print(stderr,
             "usage: merge_campaign --belay PATH [--kills N] [--seed S] [--points STRIDE]\n"
             "       merge_campaign --belay PATH --beside-a-person LANDINGS [--kills N]\n");
  return 2;
}
