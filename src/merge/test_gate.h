// A gate that a test runs for real, in a temporary folder: "work" is the worktree, "log" the log,
// and changes in "cancel" may cancel it. No process may be left after a test.

#ifndef BELAY_MERGE_TEST_GATE_H_
#define BELAY_MERGE_TEST_GATE_H_

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "merge/gate_run.h"
#include "os/process_tree.h"
#include "os/real_event_loop.h"
#include "testing/temp_folder.h"

namespace belay {

class GateFixture : public ::testing::Test {
 protected:
  GateFixture() {
    folder_.MakeFolder("work");
    folder_.MakeFolder("cancel");
  }

  void TearDown() override {
    EXPECT_FALSE(HasChildren());
    EXPECT_TRUE(ProcessesStartedWith({"BELAY_GATE=" + request_.mark}).empty());
  }

  Result<GateRun> TryRun(FileSystem& files, const std::string& script) {
    request_.rule.run = script;
    return RunGate(files, *loop_, request_, watch_);
  }

  GateRun Run(const std::string& script) {
    Result<GateRun> run = TryRun(files_, script);
    EXPECT_TRUE(run.ok()) << run.error().message;
    return run ? *std::move(run) : GateRun{};
  }

  std::string Log() const { return folder_.Read("log"); }

  // It is cancelled as soon as this file exists.
  void WatchForFile(const std::string& name) {
    watch_.cancel_folder = folder_ / "cancel";
    watch_.cancelled = [this, name] { return files_.Inspect(folder_ / name).ok(); };
  }

  TempFolder folder_;
  RealFileCalls calls_;
  FileSystem files_{calls_};
  std::unique_ptr<RealEventLoop> loop_ = *RealEventLoop::Create();
  GateRequest request_ = {.rule = {.name = "test", .run = {}},
                          .folder = folder_ / "work",
                          .log = folder_ / "log",
                          .environment = {{"PATH", getenv("PATH")}},
                          .mark = folder_.path()};
  GateWatch watch_;
};

}  // namespace belay

#endif  // BELAY_MERGE_TEST_GATE_H_
