// Kills writers of the store for real and looks whether it keeps what it promised.
//
//   kill_campaign [--kills N] [--seed S] [--folder DIR]
//
// Four processes use one store on a real disk (worker.h). One of them, chosen by chance, is killed
// with SIGKILL at a moment chosen by chance, and a successor takes its place at once while the
// others go on. Each 25 kills are a round with a folder of its own; the last four of them hit all
// workers at once, and then a fresh reader judges what is there (judge.h).
//
// The seed decides who is killed and when, but not how fast the machine is: the same seed gives the
// same plan, not the same run. SIGKILL leaves the kernel's cache alone, so that a missing fsync
// isn't seen here; the crash matrix of the store's unit tests is there for that.

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/check.h"
#include "kills/crew.h"
#include "kills/judge.h"
#include "kills/worker.h"
#include "os/this_process.h"
#include "testing/whole_number.h"

namespace belay {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kWorkers = 4;
constexpr std::size_t kKillsARound = 25;

struct Options {
  std::uint64_t kills = 300;
  std::uint64_t seed = 0;
  std::string folder = fs::temp_directory_path();
};

std::optional<Options> ParseOptions(const std::vector<std::string>& words) {
  Options options;
  options.seed = SystemRandom().Next64() % 1'000'000'000;
  for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
    if (words[i] == "--kills") {
      options.kills = WholeNumber(words[i + 1]);
    } else if (words[i] == "--seed") {
      options.seed = WholeNumber(words[i + 1]);
    } else if (words[i] == "--folder") {
      options.folder = words[i + 1];
    } else {
      return std::nullopt;
    }
  }
  if (words.size() % 2 != 0) return std::nullopt;
  return options;
}

// Half of the kills come at any moment, a quarter right after a report, when an operation has just
// begun or ended, and a quarter a little later, in the midst of one.
KillPlan PlanKill(std::mt19937_64& chance) {
  const std::size_t slot = chance() % kWorkers;
  const std::size_t reports = 1 + chance() % 20;
  switch (chance() % 4) {
    case 0:
      return {slot, reports, Duration(0)};
    case 1:
      return {slot, reports, std::chrono::microseconds(chance() % 600)};
    default:
      return {slot, 0, std::chrono::microseconds(chance() % 15'000)};
  }
}

struct Totals {
  std::size_t kills = 0;
  std::size_t writes = 0;
  Problems problems;
};

void RunRound(const std::string& folder, std::size_t kills, std::mt19937_64& chance,
              std::uint32_t& writers, Totals& totals) {
  fs::create_directories(folder);
  Crew crew("/proc/self/exe", folder, chance, writers);
  const std::size_t at_once = std::min(kills, kWorkers);
  crew.Start(at_once);
  for (std::size_t i = at_once; i < kills; ++i) crew.Kill(PlanKill(chance));
  crew.KillAll();
  totals.kills += kills;
  totals.writes += crew.ledger().acknowledged_writes();
  RealFileCalls calls;
  FileSystem files(calls);
  totals.problems = Judge(files, folder, crew.ledger());
}

std::size_t Count(const Problems& problems, Problem::Kind kind) {
  return static_cast<std::size_t>(std::count_if(problems.begin(), problems.end(),
                                                [&](const Problem& p) { return p.kind == kind; }));
}

void PrintOutcome(const Totals& totals) {
  const std::size_t wrong = Count(totals.problems, Problem::Kind::kWrong);
  fmt::print("kill campaign: {} kills, {} acknowledged writes, {} lost, {} torn{}\n", totals.kills,
             totals.writes, Count(totals.problems, Problem::Kind::kLost),
             Count(totals.problems, Problem::Kind::kTorn),
             wrong == 0 ? "" : fmt::format(", {} otherwise wrong", wrong));
}

int RunCampaign(const Options& options) {
  const fs::path base = fs::path(options.folder) / fmt::format("kills-{}", ThisProcess());
  std::mt19937_64 chance(options.seed);
  std::uint32_t writers = 0;
  Totals totals;
  for (std::size_t round = 1; totals.kills < options.kills; ++round) {
    const std::string folder = base / fmt::format("round-{}", round);
    RunRound(folder, std::min(kKillsARound, options.kills - totals.kills), chance, writers, totals);
    if (!totals.problems.empty()) {
      fmt::print("seed {}, round {}, kept in {}:\n", options.seed, round, folder);
      for (const Problem& problem : totals.problems) fmt::print("  {}\n", problem.text);
      PrintOutcome(totals);
      return 1;
    }
    fs::remove_all(folder);
  }
  fs::remove_all(base);
  PrintOutcome(totals);
  return 0;
}

int RunWorker(const std::vector<std::string>& words) {
  const auto writer = static_cast<std::uint32_t>(WholeNumber(words[2]));
  const auto slot = static_cast<std::uint32_t>(WholeNumber(words[3]));
  constexpr int kOutput = 1;
  Worker(words[1], writer, slot, WholeNumber(words[4]), kOutput).Run();
  return 1;
}

int Main(const std::vector<std::string>& words) {
  if (words.size() == 5 && words[0] == "--worker") return RunWorker(words);
  const std::optional<Options> options = ParseOptions(words);
  if (options) return RunCampaign(*options);
  fmt::print(stderr, "usage: kill_campaign [--kills N] [--seed S] [--folder DIR]\n");
  return 2;
}

}  // namespace
}  // namespace belay

int main(int argc, char** argv) { return belay::Main({argv + 1, argv + argc}); }
