// Snapshots with the real belay, against the git commands that a user would type for the same. The
// two alternate on the same repository: 5,000 files, 2,000 commits, and in every round 10 files
// changed and 5 new ones.
//
//   take       against: copy of the index; git update-index for the changed and the new files on
//              it; git write-tree twice; git commit-tree three times; git update-ref
//   unchanged  against: git status --porcelain -z
//   restore    against: git status; git diff-tree; the commands of a take, since what is replaced
//              has to be saved first; git cat-file --batch; git update-index -q --refresh.
//              Nothing is staged, so the index needs no more

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/check.h"
#include "os/program.h"
#include "row.h"

namespace {

namespace fs = std::filesystem;
using belay::Environment;
using belay::InputOf;
using belay::PosixPrograms;
using belay::ProgramRequest;

constexpr int kFiles = 5000;
constexpr int kCommits = 2000;
constexpr int kRounds = 25;
constexpr int kWarmUp = 3;
constexpr int kChanged = 10;
constexpr int kNew = 5;

std::string FilePath(int number) {
  return fmt::format("d{}/e{}/f{}.txt", number % 50, number % 10, number);
}

double Median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<long>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

class Bench {
 public:
  Bench(std::string belay, fs::path folder) : belay_(std::move(belay)), repo_(std::move(folder)) {}

  // What the command printed.
  std::string Run(std::vector<std::string> command, const std::string& input = {}) {
    ProgramRequest request{.command = std::move(command),
                           .limit = std::chrono::minutes(5),
                           .folder = repo_,
                           .environment = variables_};
    if (!input.empty()) request.input = InputOf(input);
    const auto result = programs_.Run(request);
    BELAY_CHECK(result.ok());
    if (result->exit_code != 0) {
      (void)std::fprintf(stderr, "%s %s: %s\n", request.command[0].c_str(),
                         request.command[1].c_str(), result->err.c_str());
    }
    BELAY_CHECK(result->exit_code == 0);
    return result->out;
  }
  std::string Line(std::vector<std::string> command, const std::string& input = {}) {
    std::string out = Run(std::move(command), input);
    while (out.ends_with('\n')) out.pop_back();
    return out;
  }

  void MakeRepository();
  void Edit(int round);
  void TakeByHand();
  void RestoreByHand();
  void Destroy() {
    Run({"git", "clean", "-fdxq"});
    Run({"git", "reset", "-q", "--hard"});
  }

  template <class Work>
  static double Milliseconds(const Work& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
        .count();
  }

  const std::string belay_;

 private:
  const fs::path repo_;
  PosixPrograms programs_;
  Environment::Variables variables_ = [] {
    Environment::Variables variables = Environment::OfThisProcess().variables();
    variables["GIT_CONFIG_GLOBAL"] = "/dev/null";
    for (const char* who : {"AUTHOR", "COMMITTER"}) {
      variables[fmt::format("GIT_{}_NAME", who)] = "bench";
      variables[fmt::format("GIT_{}_EMAIL", who)] = "bench@example.org";
    }
    return variables;
  }();
  std::vector<std::string> paths_;
  std::string last_by_hand_;
  int by_hand_ = 0;
};

void Bench::MakeRepository() {
  fs::create_directories(repo_);
  Run({"git", "init", "-q", "-b", "main"});
  std::string stream;
  for (int commit = 0; commit < kCommits; ++commit) {
    stream +=
        fmt::format("commit refs/heads/main\ncommitter b <b@example.org> {} +0000\ndata 1\nc\n",
                    1'600'000'000 + commit);
    const int first = commit == 0 ? 0 : commit;
    const int last = commit == 0 ? kFiles : commit + 1;
    for (int file = first; file < last; ++file) {
      std::string content;
      for (int line = 0; line < 30; ++line)
        content += fmt::format("{} {} {}\n", file, commit, line);
      stream +=
          fmt::format("M 100644 inline {}\ndata {}\n{}\n", FilePath(file), content.size(), content);
    }
  }
  Run({"git", "fast-import", "--quiet"}, stream);
  Run({"git", "reset", "-q", "--hard"});
}

void Bench::Edit(int round) {
  paths_.clear();
  for (int i = 0; i < kChanged; ++i) {
    paths_.push_back(FilePath(i * 400 + 3));
    std::ofstream(repo_ / paths_.back(), std::ios::app) << "edit " << round << "\n";
  }
  for (int i = 0; i < kNew; ++i) {
    paths_.push_back(fmt::format("d{}/new{}", i, i));
    std::ofstream(repo_ / paths_.back()) << "new " << round << " " << i << "\n";
  }
}

void Bench::TakeByHand() {
  fs::copy_file(repo_ / ".git/index", repo_ / ".git/by-hand", fs::copy_options::overwrite_existing);
  variables_["GIT_INDEX_FILE"] = repo_ / ".git/by-hand";
  const std::string index = Line({"git", "write-tree"});
  std::string list;
  for (const std::string& path : paths_) list += path + "\n";
  Run({"git", "update-index", "--add", "--remove", "--stdin"}, list);
  const std::string tree = Line({"git", "write-tree"});
  variables_.erase("GIT_INDEX_FILE");
  const std::string base = "main";
  const std::string staged = Line({"git", "commit-tree", index, "-p", base, "-m", "index"});
  const std::string untracked = Line({"git", "commit-tree", tree, "-m", "untracked"});
  last_by_hand_ =
      Line({"git", "commit-tree", tree, "-p", base, "-p", staged, "-p", untracked, "-m", "work"});
  Run({"git", "update-ref", fmt::format("refs/by-hand/{}", ++by_hand_), last_by_hand_});
}

void Bench::RestoreByHand() {
  Run({"git", "status", "--porcelain", "-z"});
  const std::string changes = Run({"git", "diff-tree", "-r", "main", last_by_hand_});
  TakeByHand();
  std::string blobs;
  std::size_t at = 0;
  while (at < changes.size()) {  // ":100644 100644 OLD NEW M\tPATH\n"
    const std::size_t end = changes.find('\n', at);
    blobs += changes.substr(at + 56, 40) + "\n";
    at = end + 1;
  }
  Run({"git", "cat-file", "--batch"}, blobs);
  Run({"git", "update-index", "-q", "--refresh"});
}

bool Report(const std::string& what, const std::vector<double>& ours,
            const std::vector<double>& theirs, const std::string& against, double most) {
  const double ratio = Median(ours) / Median(theirs);
  return Print({what, fmt::format("{:.1f} ms", Median(ours)),
                fmt::format("{:.1f} ms, {}", Median(theirs), against), fmt::format("{:.2f}", ratio),
                fmt::format("at most {}", most), ratio <= most});
}

}  // namespace

int main(int argc, char** argv) {
  BELAY_CHECK(argc == 3);
  const fs::path folder = fs::absolute(fs::path(argv[2]) / "snapshot-bench");
  fs::remove_all(folder);
  Bench bench(fs::absolute(argv[1]), folder);
  bench.MakeRepository();
  std::vector<double> take, take_by_hand, same, status, restore, restore_by_hand;
  for (int round = 0; round < kWarmUp + kRounds; ++round) {
    if (round == kWarmUp) {
      for (auto* times : {&take, &take_by_hand, &same, &status, &restore, &restore_by_hand}) {
        times->clear();
      }
    }
    bench.Edit(2 * round);
    take.push_back(bench.Milliseconds([&] { bench.Run({bench.belay_, "snapshot", "take"}); }));
    same.push_back(bench.Milliseconds([&] { bench.Run({bench.belay_, "snapshot", "take"}); }));
    status.push_back(bench.Milliseconds([&] {
      bench.Run({"git", "status", "--porcelain", "-z"});
    }));
    bench.Destroy();
    restore.push_back(bench.Milliseconds([&] {
      bench.Run({bench.belay_, "snapshot", "restore", fmt::format("{}", 2 * round + 1)});
    }));
    bench.Edit(2 * round + 1);
    take_by_hand.push_back(bench.Milliseconds([&] { bench.TakeByHand(); }));
    bench.Destroy();
    restore_by_hand.push_back(bench.Milliseconds([&] { bench.RestoreByHand(); }));
  }
  fs::remove_all(folder);
  bool reached = Report("snapshot take, 10 changed and 5 new of 5,000 files", take, take_by_hand,
                        "the git commands by hand", 1.5);
  reached &= Report("snapshot take, nothing changed", same, status, "git status", 1.5);
  reached &= Report("snapshot restore of the same", restore, restore_by_hand,
                    "the git commands it needs", 2.0);
  return reached ? 0 : 1;
}
