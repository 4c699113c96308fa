// `belay agents` in a project of 10,000 identities, against a program that opens, reads and parses
// the 10,000 identity files with the same codec; and in one of ten times as many.

#include <fcntl.h>
#include <fmt/core.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "base/check.h"
#include "many.h"
#include "row.h"
#include "rows.h"

namespace belay::bench {
namespace {

constexpr int kIdentities = 10'000;
constexpr int kTimes = 10;  // as many in the large project
constexpr int kTurns = 15;
constexpr int kLargeTurns = 3;
constexpr double kMost = 1.5;
constexpr double kMostMegabytes = 64;
constexpr double kMostGrowth = 12;

struct Cost {
  double millis = 0;
  double megabytes = 0;
};

// Its output is discarded.
Cost RunOnce(const std::vector<std::string>& words) {
  std::vector<char*> command;
  for (const std::string& word : words) command.push_back(const_cast<char*>(word.c_str()));
  command.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  BELAY_CHECK(posix_spawn_file_actions_init(&actions) == 0);
  BELAY_CHECK(posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0) == 0);
  const double start = MicrosNow();
  pid_t pid = 0;
  BELAY_CHECK(posix_spawn(&pid, command[0], &actions, nullptr, command.data(), environ) == 0);
  int status = 0;
  rusage usage{};
  BELAY_CHECK(wait4(pid, &status, 0, &usage) == pid && status == 0);
  (void)posix_spawn_file_actions_destroy(&actions);
  return {(MicrosNow() - start) / 1000, static_cast<double>(usage.ru_maxrss) / 1000};
}

struct Costs {
  std::vector<double> millis;
  std::vector<double> megabytes;

  void Add(const Cost& cost) {
    millis.push_back(cost.millis);
    megabytes.push_back(cost.megabytes);
  }
};

struct Listing {
  Costs json;
  Costs table;
  Costs peer;
};

Listing Measure(const Programs& programs, Scene& scene) {
  const std::string root = scene.project().Root();
  const std::vector<std::string> table = {programs.belay, "agents", "--root", root};
  const std::vector<std::string> json = {programs.belay, "agents", "--root", root, "--json"};
  const std::vector<std::string> peer = {
      programs.read_identities(), scene.project().IdentitiesFolder(), std::to_string(kIdentities)};
  Listing listing;
  for (int i = 0; i <= kTurns; ++i) {
    if (i == 1) listing = {};  // the first was for warming up
    listing.json.Add(RunOnce(json));
    listing.peer.Add(RunOnce(peer));
    listing.table.Add(RunOnce(table));
  }
  return listing;
}

std::string Megabytes(Scene& scene) {
  double bytes = 0;
  for (const char* name : {"identities", "hooks"}) {
    bytes += static_cast<double>(std::filesystem::file_size(scene.project().JournalFile(name)));
  }
  return fmt::format("{:.0f} MB", bytes / 1e6);
}

bool PrintTime(const std::string& what, const Costs& ours, const Costs& peer,
               const std::string& journals) {
  const double ratio = MedianRatio(ours.millis, peer.millis);
  return Print({fmt::format("{}, 10,000 identities, journals of {}", what, journals),
                fmt::format("{:.0f} ms", Median(ours.millis)),
                fmt::format("{:.0f} ms, reading and parsing their files", Median(peer.millis)),
                fmt::format("{:.2f}", ratio), fmt::format("at most {}", kMost), ratio <= kMost});
}

bool PrintMemory(const Listing& listing) {
  const double most = std::max(Largest(listing.json.megabytes), Largest(listing.table.megabytes));
  return Print({"belay agents, 10,000 identities: memory", fmt::format("{:.0f} MB", most),
                fmt::format("{:.0f} MB, reading and parsing", Largest(listing.peer.megabytes)),
                fmt::format("{:.1f}", most / Largest(listing.peer.megabytes)),
                fmt::format("at most {} MB", kMostMegabytes), most <= kMostMegabytes});
}

bool PrintGrowth(const Costs& large, const Costs& small, const std::string& journals) {
  const double ratio = Median(large.millis) / Median(small.millis);
  return Print({fmt::format("belay agents --json, 100,000 identities, journals of {}", journals),
                fmt::format("{:.0f} ms, {:.0f} MB", Median(large.millis), Largest(large.megabytes)),
                fmt::format("{:.0f} ms, 10,000 of them", Median(small.millis)),
                fmt::format("{:.1f}", ratio), fmt::format("at most {}", kMostGrowth),
                ratio <= kMostGrowth});
}

}  // namespace

bool AgentsRows(const Programs& programs, ScratchFolder& scratch) {
  Scene small(programs, scratch.NewFolder("agents") + "/p", "");
  MakeMany(small, kIdentities);
  RenderMany(small);
  const Listing listing = Measure(programs, small);
  bool reached = PrintTime("belay agents --json", listing.json, listing.peer, Megabytes(small));
  reached &= PrintTime("belay agents", listing.table, listing.peer, Megabytes(small));
  reached &= PrintMemory(listing);
  Scene large(programs, scratch.NewFolder("agents") + "/p", "");
  MakeMany(large, kTimes * kIdentities);
  Costs costs;
  for (int i = 0; i < kLargeTurns; ++i) {
    costs.Add(RunOnce({programs.belay, "agents", "--root", large.project().Root(), "--json"}));
  }
  reached &= PrintGrowth(costs, listing.json, Megabytes(large));
  return reached;
}

}  // namespace belay::bench
