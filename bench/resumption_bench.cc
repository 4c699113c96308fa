// One update of a resumption document of 2,000 lines, and one check of it, against a program that
// does only what can't be left out (resumption_floor.cc). They alternate; the median of each
// counts.
//
//   resumption_bench BELAY FLOOR FOLDER

#include <fcntl.h>
#include <fmt/core.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/check.h"
#include "row.h"

namespace {

constexpr int kWarmUp = 5;
constexpr int kRounds = 60;

class Scene {
 public:
  Scene(std::string belay, std::string floor, const std::string& folder)
      : belay_(std::move(belay)), floor_(std::move(floor)), folder_(folder + "/resumption-XXXXXX") {
    BELAY_CHECK(mkdtemp(folder_.data()) != nullptr);
    BELAY_CHECK(posix_spawn_file_actions_init(&actions_) == 0);
    for (const int fd : {1, 2}) {
      BELAY_CHECK(posix_spawn_file_actions_addopen(&actions_, fd, "/dev/null", O_WRONLY, 0) == 0);
    }
    Run({"/usr/bin/env", "git", "init", "-q", folder_});
    Run({belay_, "init", "--root", folder_});
    WriteDocument();
    Run({belay_, "resumption", "update", "T1", "--root", folder_});
  }
  ~Scene() { std::filesystem::remove_all(folder_); }

  double Run(const std::vector<std::string>& command) {
    std::vector<char*> words;
    for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    const auto start = std::chrono::steady_clock::now();
    pid_t pid = 0;
    BELAY_CHECK(posix_spawn(&pid, words[0], &actions_, nullptr, words.data(), environ) == 0);
    int status = 0;
    BELAY_CHECK(waitpid(pid, &status, 0) == pid && status == 0);
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
        .count();
  }

  double Update() { return Run({belay_, "resumption", "update", "T7", "--root", folder_}); }
  double Check() { return Run({belay_, "resumption", "check", "--root", folder_}); }
  double FloorUpdate() { return Run({floor_, "update", Path(), folder_ + "/journal"}); }
  double FloorCheck() { return Run({floor_, "check", Path()}); }

 private:
  std::string Path() const { return folder_ + "/ORCHESTRATION.yaml"; }

  void WriteDocument() const {
    std::ofstream file(Path());
    file << "workflow: {status: ACTIVE}\npipelines:\n  A:\n    current_phase: 1\ntasks:\n";
    for (int i = 0; i < 490; ++i) {
      file << fmt::format(
          "  - id: task-{}\n    title: \"Do the thing number {}\"\n    status: PENDING # soon\n"
          "    needs: [a, b, {{c: d}}]\n",
          i, i);
    }
  }

  std::string belay_;
  std::string floor_;
  std::string folder_;
  posix_spawn_file_actions_t actions_{};
};

double Median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<long>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

template <class Ours, class Floor>
bool Compare(const char* what, const char* against, double most, Ours ours, Floor floor) {
  std::vector<double> one;
  std::vector<double> other;
  for (int i = 0; i < kWarmUp + kRounds; ++i) {
    const double ours_took = ours();
    const double floor_took = floor();
    if (i < kWarmUp) continue;
    one.push_back(ours_took);
    other.push_back(floor_took);
  }
  const double ratio = Median(one) / Median(other);
  return Print({what, fmt::format("{:.1f} ms", Median(one)),
                fmt::format("{:.1f} ms, {}", Median(other), against), fmt::format("{:.2f}", ratio),
                fmt::format("at most {}", most), ratio <= most});
}

}  // namespace

int main(int argc, char** argv) {
  BELAY_CHECK(argc == 4);
  Scene scene(argv[1], argv[2], argv[3]);
  const bool update = Compare(
      "resumption update, 2,000 lines", "two builds, one replace, one append", 1.5,
      [&] { return scene.Update(); }, [&] { return scene.FloorUpdate(); });
  const bool check = Compare(
      "resumption check, 2,000 lines", "one read and build", 3, [&] { return scene.Check(); },
      [&] { return scene.FloorCheck(); });
  return update && check ? 0 : 1;
}
