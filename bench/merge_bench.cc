// The cost of landing besides the gates: `belay merge-queue process` with an empty gate, against
// the same git commands by hand and against the way people do it, in a repository of 5,000 files
// and 2,000 commits. Each lands branches of 3 commits and 10 files that are behind the target. They
// alternate; the median of each counts.
//
// merge_bench BELAY FOLDER: the folder has to be on a disk.

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <vector>

#include "base/check.h"
#include "row.h"

namespace {

namespace fs = std::filesystem;

constexpr int kFiles = 5000;
constexpr int kCommits = 2000;
constexpr int kRounds = 15;
constexpr int kQueued = 1000;
constexpr double kMostByHand = 2;
constexpr double kLeastByRebase = 3;

void Shell(const std::string& command) { BELAY_CHECK(std::system(command.c_str()) == 0); }

double Milliseconds(const std::string& command) {
  const auto start = std::chrono::steady_clock::now();
  Shell(command);
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

std::string FileOf(int number) { return fmt::format("d{}/f{}", number % 50, number); }

std::string Data(const std::string& text) {
  return fmt::format("data {}\n{}\n", text.size(), text);
}

std::string CommitHead(const std::string& ref, const std::string& message) {
  return fmt::format("commit {}\ncommitter A <a@example.invalid> 1700000000 +0000\n{}", ref,
                     Data(message));
}

// All files in the first commit, then one change in each.
void MakeRepository(const fs::path& project) {
  Shell(fmt::format("git init -q -b main '{}'", project.string()));
  std::ofstream stream(project / "../stream");
  stream << CommitHead("refs/heads/main", "all");
  for (int i = 0; i < kFiles; ++i) {
    stream << "M 100644 inline " << FileOf(i) << "\n" << Data(fmt::format("file {}\n", i));
  }
  for (int i = 1; i < kCommits; ++i) {
    stream << CommitHead("refs/heads/main", fmt::format("change {}", i));
    stream << "M 100644 inline " << FileOf(i % kFiles) << "\n"
           << Data(fmt::format("file {}\nchange {}\n", i % kFiles, i));
  }
  stream.close();
  Shell(
      fmt::format("cd '{0}' && git fast-import --quiet <../stream && git reset -q --hard && git gc "
                  "-q && git config user.name A && git config user.email a@example.invalid && git "
                  "branch start",
                  project.string()));
}

// Three commits that change ten files of their own, on top of the commit that the bench began with.
void MakeBranch(const fs::path& project, const std::string& name, int number) {
  const std::string file = project / "../branch";
  std::ofstream stream(file);
  for (int commit = 0; commit < 3; ++commit) {
    stream << CommitHead("refs/heads/" + name, fmt::format("{} {}", name, commit));
    if (commit == 0) stream << "from refs/heads/start^0\n";
    for (int i = commit; i < 10; i += 3) {
      const int which = (kCommits + number * 10 + i) % kFiles;
      stream << "M 100644 inline " << FileOf(which) << "\n"
             << Data(fmt::format("file {}\n{} {}\n", which, name, commit));
    }
  }
  stream.close();
  Shell(fmt::format("cd '{}' && git fast-import --quiet <'{}'", project.string(), file));
}

// The necessary minimum: one merge and one commit for each commit, the difference into a warm
// worktree, the target, its checkout.
std::string ByHand(const fs::path& folder) {
  const std::string script = folder / "by-hand";
  std::ofstream(script) << R"(set -e
old=$(git rev-parse main)
tip=$old
for commit in $(git rev-list --reverse start..$1); do
  tree=$(git merge-tree --write-tree $tip $commit)
  tip=$(git commit-tree -p $tip -m "$1" $tree)
done
git -C ../warm checkout -q --detach $tip
git update-ref refs/heads/main $tip $old
git read-tree -m -u $old $tip
)";
  return script;
}

std::string ByRebase(const fs::path& folder) {
  const std::string script = folder / "by-rebase";
  std::ofstream(script) << R"(set -e
git worktree add -q ../scratch $1
git -C ../scratch rebase -q main
git merge -q --ff-only $1
git worktree remove ../scratch
)";
  return script;
}

struct Way {
  std::string name;
  fs::path project;
  std::function<std::string(const std::string&)> command;
  std::vector<double> times = {};
};

bool Against(const Way& ours, const Way& other, const std::string& must, bool reached) {
  const double mine = Median(ours.times);
  const double its = Median(other.times);
  return Print({"landing a branch of 3 commits", fmt::format("{:.0f} ms", mine),
                fmt::format("{:.0f} ms, {}", its, other.name), fmt::format("{:.2f}", mine / its),
                must, reached});
}

}  // namespace

int main(int argc, char** argv) {
  BELAY_CHECK(argc == 3);
  const std::string belay = fs::absolute(argv[1]);
  const fs::path folder = fs::absolute(argv[2]) / fmt::format("merge-bench-{}", getpid());
  const fs::path project = folder / "p";
  fs::create_directories(folder);
  MakeRepository(project);
  // Each way has a copy: a target that moves without the queue is tested again.
  for (const char* const copy : {"hand", "rebase"}) {
    Shell(fmt::format("cd '{}' && cp -r p {} && git -C {} status -s", folder.string(), copy, copy));
  }
  Shell(fmt::format("cd '{}' && git worktree add -q --detach ../warm", (folder / "hand").string()));
  Shell(fmt::format("cd '{}' && '{}' init --yes --quiet >/dev/null", project.string(), belay));
  std::ofstream(project / ".claude/belay.yml")
      << "merge:\n  gates:\n    - name: empty\n      run: \"true\"\n";
  const std::string by_hand = ByHand(folder);
  const std::string by_rebase = ByRebase(folder);
  Way ways[] = {
      {"belay", project,
       [&](const std::string&) {
         return belay + " merge-queue process --next --quiet >/dev/null";
       }},
      {"the same git commands by hand", folder / "hand",
       [&](const std::string& branch) { return "sh " + by_hand + " " + branch; }},
      {"worktree add, rebase, merge, remove", folder / "rebase",
       [&](const std::string& branch) {
         return "sh " + by_rebase + " " + branch + " >/dev/null 2>&1";
       }},
  };
  int number = 0;
  for (int round = 0; round < kRounds + 1; ++round) {
    for (Way& way : ways) {
      const std::string branch = fmt::format("b{}", ++number);
      MakeBranch(way.project, branch, number);
      BELAY_CHECK(chdir(way.project.c_str()) == 0);
      if (way.name == "belay") Shell(belay + " merge-queue add " + branch + " --quiet >/dev/null");
      const double time = Milliseconds(way.command(branch));
      if (round > 0) way.times.push_back(time);  // the first one makes the scratch worktree
    }
  }
  const double mine = Median(ways[0].times);
  bool reached = Against(ways[0], ways[1], fmt::format("at most {:.0f}", kMostByHand),
                         mine <= kMostByHand * Median(ways[1].times));
  reached = Against(ways[0], ways[2], fmt::format("{:.0f} x faster", kLeastByRebase),
                    mine * kLeastByRebase <= Median(ways[2].times)) &&
            reached;

  BELAY_CHECK(chdir(project.c_str()) == 0);
  // With many queued, the cost of the queue itself shows as the difference.
  for (int i = 0; i < kQueued; ++i) {
    const std::string branch = fmt::format("q{}", i);
    if (i == 0) MakeBranch(project, "many", ++number);
    Shell(fmt::format("git branch {0} many && '{1}' merge-queue add {0} --quiet >/dev/null", branch,
                      belay));
  }
  std::vector<double> lists;
  std::vector<double> steps;
  for (int i = 0; i < kRounds; ++i) {
    lists.push_back(Milliseconds(belay + " merge-queue list --json >/dev/null"));
    const std::string branch = fmt::format("b{}", ++number);
    MakeBranch(project, branch, number);
    Shell(belay + " merge-queue add " + branch + " --priority 100 --quiet >/dev/null");
    steps.push_back(Milliseconds(belay + " merge-queue process --next --quiet >/dev/null"));
  }
  const double list = Median(lists);
  const double more = Median(steps) - mine;
  reached = Print({"merge-queue list of 1,000", fmt::format("{:.0f} ms", list), "", "",
                   "under 50 ms", list < 50}) &&
            reached;
  reached = Print({"landing with 1,000 queued, more than alone", fmt::format("{:.0f} ms", more),
                   fmt::format("{:.0f} ms alone", mine), "", "under 20 ms", more < 20}) &&
            reached;
  BELAY_CHECK(chdir("/") == 0);
  fs::remove_all(folder);
  return reached ? 0 : 1;
}
