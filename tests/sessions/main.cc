// Kills hook writers, guardians and agents for real, stops agents and cleans carelessly, and looks
// whether sessions come back as they should.
//
//   session_campaign --rounds N --belay PATH [--folder DIR] [--only PART] [--seed S]
//
// A round is a twentieth of the whole: 100 kills of hook writers, 10 of the guardian, 10 of agents,
// 5 stops, 5 kills of those who stop, 5 of `belay exec`, 5 of both a guardian and an exec, and 2.5
// cleanings. The seed decides what happens to whom and when, but not how fast the machine is: the
// same seed gives the same plan, not the same run. What was found wrong is kept in DIR with its
// repository.

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>

#include "base/check.h"
#include "os/clock.h"
#include "os/random.h"
#include "os/this_process.h"
#include "sessions/parts.h"
#include "testing/whole_number.h"

namespace belay {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::uint64_t rounds = 1;
  std::uint64_t seed = 0;
  std::string belay = {};
  std::string folder = fs::temp_directory_path();
  std::string only = {};
};

struct Part {
  std::string_view name;
  void (*run)(Place& place, std::size_t count, Counts& counts);
  std::size_t whole;  // how often in twenty rounds
};

constexpr Part kParts[] = {
    {"hook-writers", KillHookWriters, 2000}, {"guardian-kills", KillGuardians, 200},
    {"agent-kills", KillAgents, 200},        {"stops", StopAgents, 100},
    {"stop-kills", KillStops, 100},          {"exec-kills", KillExecs, 100},
    {"pair-kills", KillPairs, 100},          {"cleaning", CleanCarelessly, 50},
};

std::optional<Options> ParseOptions(const std::vector<std::string>& words) {
  Options options;
  options.seed = SystemRandom().Next64() % 1'000'000'000;
  for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
    if (words[i] == "--rounds") {
      options.rounds = WholeNumber(words[i + 1]);
    } else if (words[i] == "--seed") {
      options.seed = WholeNumber(words[i + 1]);
    } else if (words[i] == "--belay") {
      options.belay = fs::absolute(words[i + 1]);
    } else if (words[i] == "--folder") {
      options.folder = fs::absolute(words[i + 1]);
    } else if (words[i] == "--only") {
      options.only = words[i + 1];
    } else {
      return std::nullopt;
    }
  }
  if (words.size() % 2 != 0 || options.belay.empty()) return std::nullopt;
  return options;
}

Problems RunPart(const Part& part, const Options& options, const std::string& folder,
                 Counts& counts) {
  SystemClock clock;
  const MonotonicTime begin = clock.Monotonic();
  const std::size_t count = (part.whole * options.rounds + 19) / 20;
  fmt::print("{}: {} times ... ", part.name, count);
  (void)std::fflush(stdout);
  Problems problems;
  {
    Place place(options.belay, folder, options.seed);
    part.run(place, count, counts);
    problems = place.problems();
  }
  fmt::print("{} wrong, {} s\n", problems.size(),
             (clock.Monotonic() - begin) / std::chrono::seconds(1));
  if (problems.empty()) return problems;
  fmt::print("seed {}, kept in {}:\n", options.seed, folder);
  for (const Problem& problem : problems) fmt::print("  {}\n", problem.text);
  return problems;
}

std::size_t Count(const Problems& problems, Problem::Kind kind) {
  return static_cast<std::size_t>(std::count_if(problems.begin(), problems.end(),
                                                [&](const Problem& p) { return p.kind == kind; }));
}

void PrintOutcome(const Counts& counts, const Problems& problems) {
  using Kind = Problem::Kind;
  fmt::print(
      "session campaign: kills: {} hook writers ({} notes acknowledged), {} guardians ({} "
      "respawns), "
      "{} agents, {} execs, {} guardians with an exec ({} files checked), {} stops ({} halfway); "
      "{} stops; {} cleanings (back "
      "after {} ms at most); "
      "{} torn, {} lost, {} double, {} respawned, {} otherwise wrong\n",
      counts.writer_kills, counts.notes, counts.guardian_kills, counts.respawns, counts.agent_kills,
      counts.exec_kills, counts.pair_kills, counts.files, counts.stop_kills, counts.halfway,
      counts.stops, counts.cleanings, counts.longest_back / std::chrono::milliseconds(1),
      Count(problems, Kind::kTorn), Count(problems, Kind::kLost), Count(problems, Kind::kDouble),
      Count(problems, Kind::kRespawned), Count(problems, Kind::kWrong));
}

int RunCampaign(const Options& options) {
  const fs::path base = fs::path(options.folder) / fmt::format("sessions-{}", ThisProcess());
  fmt::print("seed {}\n", options.seed);
  Counts counts;
  Problems problems;
  std::size_t run = 0;
  for (const Part& part : kParts) {
    if (!options.only.empty() && options.only != part.name) continue;
    MoveInto(problems, RunPart(part, options, base / part.name, counts));
    ++run;
  }
  if (problems.empty()) fs::remove_all(base);
  PrintOutcome(counts, problems);
  return run > 0 && problems.empty() ? 0 : 1;
}

int Main(const std::vector<std::string>& words) {
  const std::optional<Options> options = ParseOptions(words);
  if (options) return RunCampaign(*options);
  fmt::print(stderr,
             "usage: session_campaign --rounds N --belay PATH [--folder DIR] [--only PART] "
             "[--seed S]\n");
  return 2;
}

}  // namespace
}  // namespace belay

int main(int argc, char** argv) { return belay::Main({argv + 1, argv + argc}); }
