// Real processes at one resumption document: belay's updaters, killed at any moment, and a program
// that appends to it at the worst ones.

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <thread>

#include "agents_sandbox.h"
#include "os/file_system.h"

namespace belay {
namespace {

class ResumptionRaceTest : public AgentsSandbox {
 protected:
  ResumptionRaceTest() { folder_.Write("repo/ORCHESTRATION.yaml", "# mine\nflow: 1\n"); }

  std::string Path() { return folder_ / "repo/ORCHESTRATION.yaml"; }
  std::string Text() { return folder_.Read("repo/ORCHESTRATION.yaml"); }
  static std::string Named(int i) { return "decision " + std::to_string(1000 + i); }
  std::vector<std::string> Decide(int i) {
    return {"resumption",
            "update",
            "T6",
            "--event",
            Named(i),
            "--data",
            R"({"decision":")" + Named(i) + R"("})"};
  }
  std::size_t CountOf(const std::string& part) {
    const std::string text = Text();
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
    return count;
  }
};

// Appends a line as soon as a new file of an update stands beside the document.
class Appender {
 public:
  Appender(std::string folder, std::string path)
      : thread_([this, folder = std::move(folder), path = std::move(path)] {
          RealFileCalls calls;
          FileSystem files(calls);
          std::set<std::string> seen;
          while (!over_) {
            const Result<std::vector<std::string>> names = files.List(folder);
            for (const std::string& name : names ? *names : std::vector<std::string>()) {
              const bool of_update = name.ends_with(".swap") || name.ends_with(".tmp");
              if (!of_update || !seen.insert(name).second) continue;
              Result<File> document = files.OpenForAppending(path);
              if (document && document->Write("# appended " + std::to_string(lines_) + "\n")) {
                ++lines_;
              }
            }
          }
        }) {}
  ~Appender() { Stop(); }

  int Stop() {
    over_ = true;
    if (thread_.joinable()) thread_.join();
    return lines_;
  }

 private:
  std::atomic<bool> over_ = false;
  std::atomic<int> lines_ = 0;
  std::thread thread_;
};

TEST_F(ResumptionRaceTest, WhatAProgramAppendsAtTheWorstMomentIsKept) {
  constexpr int kUpdates = 40;
  int appended = 0;
  {
    Appender appender(folder_ / "repo", Path());
    for (int i = 0; i < kUpdates; ++i) {
      const RunOutcome outcome = Belay(Decide(i));
      EXPECT_TRUE(outcome.exit_code == 0 || outcome.exit_code == 75) << outcome.err;
    }
    appended = appender.Stop();
  }
  EXPECT_EQ(Belay({"resumption", "update", "T7"}).exit_code, 0);
  EXPECT_GT(appended, 0);
  for (int i = 0; i < appended; ++i) {
    EXPECT_EQ(CountOf("# appended " + std::to_string(i) + "\n"), 1U) << i;
  }
  for (int i = 0; i < kUpdates; ++i) {
    EXPECT_EQ(CountOf("decision: \"" + Named(i) + "\""), 1U) << i;
  }
}

// Killed after some milliseconds, in pairs, and repeated only when all others have come.
TEST_F(ResumptionRaceTest, KilledUpdatersLoseNothingAndRepeatNothing) {
  constexpr int kUpdates = 60;
  std::vector<std::thread> updaters;
  const auto run = [&](int first) {
    for (int i = first; i < kUpdates; i += 2) {
      std::vector<std::string> line = {"timeout", "-s", "KILL", "0.0" + std::to_string(10 + i % 30),
                                       BelayBinary()};
      for (std::string& word : Decide(i)) line.push_back(std::move(word));
      (void)RunReal(line, {.folder = folder_ / "repo"});
    }
  };
  for (int first = 0; first < 2; ++first) updaters.emplace_back(run, first);
  for (std::thread& updater : updaters) updater.join();
  for (int i = 0; i < kUpdates; ++i) EXPECT_EQ(Belay(Decide(i)).exit_code, 0) << i;
  for (int i = 0; i < kUpdates; ++i) {
    EXPECT_EQ(CountOf("decision: \"" + Named(i) + "\""), 1U) << i;
  }
  EXPECT_TRUE(Text().starts_with("# mine\nflow: 1\n"));
}

}  // namespace
}  // namespace belay
