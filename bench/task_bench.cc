// Suspending and resuming a task with the real belay, in a repository of 5,000 files of which 20
// are changed, against the parts that it can't do without; and the list of 10,000 tasks against
// loading them. Medians; the two sides alternate.
//
//   suspend   against: belay snapshot take; one durable write; git checkout and git clean of the
//             same paths
//   resume    against: belay snapshot restore; two durable writes
//   list      against: the ledger of tasks read to its end, without output

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/check.h"
#include "ledger/task_ledger.h"
#include "os/clock.h"
#include "os/program.h"
#include "row.h"
#include "store/durable_file.h"

namespace {

namespace fs = std::filesystem;
using belay::Environment;
using belay::PosixPrograms;
using belay::ProgramRequest;

constexpr int kFiles = 5000;
constexpr int kChanged = 15;
constexpr int kNew = 5;
constexpr int kRounds = 15;
constexpr int kTasks = 10'000;

std::string FilePath(int number) {
  return fmt::format("d{}/e{}/f{}.txt", number % 50, number % 10, number);
}

double Median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<long>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

template <class Work>
double Milliseconds(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

class TaskBench {
 public:
  TaskBench(std::string belay, const fs::path& folder)
      : belay_(std::move(belay)), repo_(folder / "task-bench") {}

  std::string Run(std::vector<std::string> command) {
    const ProgramRequest request{.command = std::move(command),
                                 .limit = std::chrono::minutes(5),
                                 .folder = repo_,
                                 .environment = variables_,
                                 .most_output = std::size_t{64} << 20U};
    const auto result = programs_.Run(request);
    BELAY_CHECK(result.ok());
    if (result->exit_code != 0) {
      (void)std::fprintf(stderr, "%s: %s\n", request.command[1].c_str(), result->err.c_str());
    }
    BELAY_CHECK(result->exit_code == 0);
    return result->out;
  }
  std::string Belay(std::vector<std::string> words) {
    words.insert(words.begin(), belay_);
    return Run(std::move(words));
  }

  void Make() {
    fs::remove_all(repo_);
    fs::create_directories(repo_);
    Run({"git", "init", "-q", "-b", "main"});
    for (int file = 0; file < kFiles; ++file) {
      fs::create_directories((repo_ / FilePath(file)).parent_path());
      std::ofstream out(repo_ / FilePath(file));
      for (int line = 0; line < 30; ++line) out << file << " " << line << "\n";
    }
    Belay({"init"});
    std::ofstream(repo_ / ".claude/belay.yml")
        << "context_preservation:\n  max_resume_count: 1000\n";
    Run({"git", "add", "."});
    Run({"git", "commit", "-qm", "base"});
    Belay({"task", "add", "work"});
  }
  void Edit(const std::string& text) {
    for (int i = 0; i < kChanged; ++i) {
      std::ofstream(repo_ / FilePath(i * 300 + 3), std::ios::app) << text << "\n";
    }
    for (int i = 0; i < kNew; ++i) std::ofstream(repo_ / fmt::format("new{}", i)) << text << "\n";
  }
  void CleanByGit() {
    std::vector<std::string> checkout = {"git", "checkout", "-q", "HEAD", "--"};
    std::vector<std::string> clean = {"git", "clean", "-fdq", "--"};
    for (int i = 0; i < kChanged; ++i) checkout.push_back(FilePath(i * 300 + 3));
    for (int i = 0; i < kNew; ++i) clean.push_back(fmt::format("new{}", i));
    Run(std::move(checkout));
    Run(std::move(clean));
  }
  void WriteDurably() {
    belay::RealFileCalls calls;
    belay::FileSystem files(calls);
    BELAY_CHECK(belay::ReplaceFile(files, repo_ / ".git/belay/bench-write", "a context\n").ok());
  }

  void Round(int round) {
    Edit(fmt::format("by hand {}", round));
    std::string id;
    take_.push_back(Milliseconds([&] { id = Belay({"snapshot", "take", "--json"}); }));
    write_.push_back(Milliseconds([&] { WriteDurably(); }));
    clean_.push_back(Milliseconds([&] { CleanByGit(); }));
    const std::size_t at = id.find('"', id.find("\"id\":") + 5) + 1;
    const std::string snapshot = id.substr(at, id.find('"', at) - at);
    restore_.push_back(Milliseconds([&] { Belay({"snapshot", "restore", snapshot}); }));
    CleanByGit();
    Belay({"task", "claim", "t1", "--worker", "worker-a"});
    Edit(fmt::format("by belay {}", round));
    suspend_.push_back(Milliseconds([&] { Belay({"task", "suspend", "t1"}); }));
    resume_.push_back(Milliseconds([&] { Belay({"task", "resume", "t1"}); }));
    Belay({"task", "claim", "t1", "--worker", "worker-a"});
    CleanByGit();
  }

  bool Report() {
    const double suspend_floor = Median(take_) + Median(write_) + Median(clean_);
    const double resume_floor = Median(restore_) + 2 * Median(write_);
    return Compare("suspend a task, 20 of 5,000 files changed", Median(suspend_), "its parts",
                   suspend_floor, 1.5) &
           Compare("resume it", Median(resume_), "its parts", resume_floor, 1.5) & List();
  }

 private:
  static bool Compare(const std::string& what, double ours, const std::string& against,
                      double floor, double most) {
    return Print({what, fmt::format("{:.1f} ms", ours), fmt::format("{} {:.1f} ms", against, floor),
                  fmt::format("{:.2f}", ours / floor), fmt::format("at most {}", most),
                  ours <= most * floor});
  }

  // Recorded as `task add` records them, with one sync.
  bool List() {
    belay::RealFileCalls calls;
    belay::FileSystem files(calls);
    const belay::SystemClock clock;
    const belay::Layout project(repo_, repo_ / ".git");
    {
      const auto lock = belay::TaskLedger::Lock(files, project);
      BELAY_CHECK(lock.ok());
      belay::Journal journal(files, project.JournalFile("tasks"), "tasks");
      std::vector<belay::Json> records;
      for (int i = 2; i <= kTasks; ++i) {
        belay::Task task{.id = *belay::TaskId::Parse(fmt::format("t{}", i))};
        task.title = fmt::format("the task of number {}", i);
        task.files = {FilePath(i % kFiles)};
        records.push_back(belay::TaskRecord(clock.Wall(), "added", task));
      }
      BELAY_CHECK(journal.Append(*lock, records, {}).ok());
    }
    std::vector<double> list;
    std::vector<double> load;
    for (int i = 0; i < 9; ++i) {
      list.push_back(Milliseconds([&] { Belay({"task", "list"}); }));
      load.push_back(Milliseconds([&] {
        belay::TaskLedger ledger(files, clock, project);
        BELAY_CHECK(ledger.CatchUp().ok() && ledger.book().tasks().size() == kTasks);
      }));
    }
    return Compare("list 10,000 tasks", Median(list), "loading them", Median(load), 2.0);
  }

  const std::string belay_;
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
  std::vector<double> take_, write_, clean_, restore_, suspend_, resume_;
};

}  // namespace

// belay's path, and a folder for the repository.
int main(int count, char** words) {
  BELAY_CHECK(count == 3);
  TaskBench bench(fs::absolute(words[1]), fs::absolute(words[2]));
  bench.Make();
  for (int round = 0; round < kRounds; ++round) bench.Round(round);
  return bench.Report() ? 0 : 1;
}
