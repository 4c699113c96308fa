#include "merge/gate_run.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <cerrno>
#include <csignal>

#include "merge/test_gate.h"
#include "os/process_tree.h"
#include "testing/faulty_calls.h"

namespace belay {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

using GateRunTest = GateFixture;

TEST_F(GateRunTest, AGateThatPassesHasNothingToSayBesideItsLog) {
  const GateRun run = Run("echo out; echo err >&2");
  EXPECT_EQ(run.outcome, GateOutcome::kPassed);
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.detail, "");
  EXPECT_GT(run.took, Duration::zero());
  EXPECT_EQ(Log(), "out\nerr\n");
}

TEST_F(GateRunTest, ARedOneReportsHowItEnded) {
  const GateRun run = Run("exit 3");
  EXPECT_EQ(run.outcome, GateOutcome::kFailed);
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_EQ(run.detail, "exit code 3");
}

TEST_F(GateRunTest, ASignalIsAFailure) {
  const GateRun run = Run("kill -9 $$");
  EXPECT_EQ(run.outcome, GateOutcome::kFailed);
  EXPECT_EQ(run.exit_code, 137);
  EXPECT_EQ(run.detail, "killed by SIGKILL");
}

TEST_F(GateRunTest, WhatMayNotBeRunIsUnrunnable) {
  folder_.Write("work/tool", "#!/bin/sh\n");
  const GateRun run = Run("./tool");
  EXPECT_EQ(run.outcome, GateOutcome::kUnrunnable);
  EXPECT_EQ(run.exit_code, 126);
  EXPECT_THAT(run.detail, StartsWith("exit code 126: a program couldn't be run: "));
  EXPECT_THAT(run.detail, HasSubstr("./tool"));
}

TEST_F(GateRunTest, WhatIsNotThereIsUnrunnable) {
  const GateRun run = Run("no-such-tool --all");
  EXPECT_EQ(run.outcome, GateOutcome::kUnrunnable);
  EXPECT_EQ(run.exit_code, 127);
  EXPECT_THAT(run.detail, HasSubstr("no-such-tool"));
}

TEST_F(GateRunTest, WithoutItsFolderItIsUnrunnable) {
  request_.folder = folder_ / "missing";
  const GateRun run = Run("true");
  EXPECT_EQ(run.outcome, GateOutcome::kUnrunnable);
  EXPECT_EQ(run.exit_code, 127);
  EXPECT_EQ(run.detail, "chdir " + request_.folder + ": No such file or directory");
}

TEST_F(GateRunTest, ACommandThatIsTooLongIsUnrunnable) {
  const GateRun run = Run(std::string(1'000'000, ' '));
  EXPECT_EQ(run.outcome, GateOutcome::kUnrunnable);
  EXPECT_THAT(run.detail, HasSubstr("Argument list too long"));
}

TEST_F(GateRunTest, RunsInItsFolderWithNothingButWhatItIsGiven) {
  request_.environment = {{"PATH", getenv("PATH")}, {"BELAY_GATE", "forged"}, {"X", "a b"}};
  (void)Run("pwd; tr '\\0' '\\n' </proc/$$/environ | grep -v ^PATH=");
  EXPECT_EQ(Log(), fmt::format("{}\nBELAY_GATE={}\nX=a b\n", request_.folder, request_.mark));
}

TEST_F(GateRunTest, HasNothingToReadAndNoTerminal) {
  const GateRun run = Run("cat; ! (: </dev/tty) 2>/dev/null");
  EXPECT_EQ(run.outcome, GateOutcome::kPassed) << Log();
  EXPECT_EQ(Log(), "");
}

TEST_F(GateRunTest, TheLogOfAnEarlierRunIsReplaced) {
  folder_.Write("log", "of an earlier run, which was longer");
  (void)Run("printf abc");
  EXPECT_EQ(Log(), "abc");
}

TEST_F(GateRunTest, OneThatIsLateIsEnded) {
  request_.rule.timeout = std::chrono::milliseconds(100);
  const GateRun run = Run("exec sleep 600");
  EXPECT_EQ(run.outcome, GateOutcome::kTimedOut);
  EXPECT_EQ(run.exit_code, 143);
  EXPECT_EQ(run.detail, "not finished after 100ms");
  EXPECT_GE(run.took, request_.rule.timeout);
}

TEST_F(GateRunTest, OneThatIsLateIsLateHoweverItEnds) {
  request_.rule.timeout = std::chrono::seconds(1);
  const GateRun run = Run("trap 'echo bye; exit 0' TERM; sleep 600 & wait");
  EXPECT_EQ(run.outcome, GateOutcome::kTimedOut);
  if (run.exit_code == 143) GTEST_SKIP() << "it was late before it could say what to do";
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(Log(), "bye\n");
}

TEST_F(GateRunTest, AChildThatWillNotHearIsKilledAfterAWhile) {
  WatchForFile("cancel/now");
  const MonotonicTime start = loop_->Now();
  const GateRun run = Run("(trap '' TERM; echo >../cancel/now; sleep 600; sleep 600) & wait");
  EXPECT_EQ(run.outcome, GateOutcome::kCancelled);
  EXPECT_EQ(run.detail, "cancelled");
  EXPECT_GE(loop_->Now() - start, std::chrono::seconds(2));
}

TEST_F(GateRunTest, OneThatIsStoppedCanBeEndedToo) {
  request_.rule.timeout = std::chrono::milliseconds(100);
  EXPECT_EQ(Run("kill -STOP $$").outcome, GateOutcome::kTimedOut);
}

TEST_F(GateRunTest, IsCancelledWhenAFileChanges) {
  WatchForFile("cancel/now");
  const GateRun run = Run("trap 'echo bye; exit 0' TERM; sleep 600 & echo >../cancel/now; wait");
  EXPECT_EQ(run.outcome, GateOutcome::kCancelled);
  EXPECT_EQ(run.detail, "cancelled");
  EXPECT_EQ(Log(), "bye\n");
}

TEST_F(GateRunTest, IsNotStartedWhenItIsCancelledAlready) {
  WatchForFile("cancel/now");
  folder_.Write("cancel/now", "");
  EXPECT_EQ(Run("echo >../started").outcome, GateOutcome::kCancelled);
  EXPECT_EQ(folder_.Read("started"), "(missing)");
}

TEST_F(GateRunTest, IsCancelledThoughTheFolderCannotBeWatched) {
  WatchForFile("now");
  watch_.cancel_folder = folder_ / "missing";
  EXPECT_EQ(Run("echo >../now; sleep 600").outcome, GateOutcome::kCancelled);
}

TEST_F(GateRunTest, StoppingTheLoopCancelsTheGate) {
  watch_.progress = [&](const GateProgress&) { loop_->Stop(); };
  EXPECT_EQ(Run("sleep 600").outcome, GateOutcome::kCancelled);
  bool ran = false;
  (void)loop_->StartTimer(Duration::zero(), [&] { ran = true; });
  loop_->Run();
  EXPECT_FALSE(ran);
}

TEST_F(GateRunTest, ADaemonIsEndedAndNamedWithoutChangingTheOutcome) {
  const GateRun run = Run(
      "mkfifo up; (setsid sh -c 'echo up >up; exec sleep 600' >/dev/null 2>&1 &); read -r x <up");
  EXPECT_EQ(run.outcome, GateOutcome::kPassed);
  EXPECT_THAT(run.detail, StartsWith("left 1 process behind: "));
  EXPECT_THAT(run.detail, HasSubstr("sleep 600"));
}

TEST_F(GateRunTest, ADaemonOfARedGateIsNamedToo) {
  const GateRun run = Run("sleep 600 & sleep 601 & sleep 602 & sleep 603 & exit 2");
  EXPECT_EQ(run.outcome, GateOutcome::kFailed);
  EXPECT_THAT(run.detail, StartsWith("exit code 2; left 4 processes behind: "));
  EXPECT_THAT(run.detail, ::testing::EndsWith(", ..."));
}

TEST_F(GateRunTest, ADaemonThatWillNotHearIsKilled) {
  const GateRun run =
      Run("mkfifo up; (trap '' TERM; echo up >up; sleep 600; sleep 600) & read -r x <up; exit 0");
  EXPECT_EQ(run.outcome, GateOutcome::kPassed);
  EXPECT_LT(run.took, std::chrono::seconds(60));
}

TEST_F(GateRunTest, AChildThatHoldsTheOutputOpenIsNotWaitedFor) {
  const GateRun run = Run("sleep 600 & echo done");
  EXPECT_EQ(run.outcome, GateOutcome::kPassed);
  EXPECT_EQ(Log(), "done\n");
}

TEST_F(GateRunTest, ShowsItsLastLineThoughItHasNoEnd) {
  std::string line;
  WatchForFile("cancel/now");
  watch_.progress = [&](const GateProgress& progress) {
    line = progress.last_line;
    if (line == "[2/9] red") folder_.Write("cancel/now", "");
    EXPECT_GT(progress.elapsed, Duration::zero());
  };
  const GateRun run = Run("printf 'one\\n[2/9] \\033[31mred\\033[0m'; sleep 600");
  EXPECT_EQ(run.outcome, GateOutcome::kCancelled);
  EXPECT_EQ(line, "[2/9] red");
  EXPECT_EQ(Log(), "one\n[2/9] \x1b[31mred\x1b[0m");
}

TEST_F(GateRunTest, MuchOutputCostsNeitherMemoryNorDisk) {
  rusage before{};
  ASSERT_EQ(getrusage(RUSAGE_SELF, &before), 0);
  const GateRun run = Run("echo begin; head -c 200000000 /dev/zero; echo end");
  rusage after{};
  ASSERT_EQ(getrusage(RUSAGE_SELF, &after), 0);
  EXPECT_EQ(run.outcome, GateOutcome::kPassed);
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 8 << 10);  // KiB
  const std::string log = Log();
  EXPECT_THAT(log, StartsWith("begin\n"));
  EXPECT_TRUE(log.ends_with("end\n"));
  const std::string note =
      fmt::format("\n[belay: {} bytes left out here]\n", 200'000'010 - (8 << 20));
  EXPECT_EQ(log.substr(1 << 20, note.size()), note);
  EXPECT_EQ(log.size(), (std::size_t{8} << 20U) + note.size());
  EXPECT_EQ(folder_.Read("log.new"), "(missing)");
}

TEST_F(GateRunTest, OneWhoseLogCannotBeWrittenIsEnded) {
  FaultyCalls faulty(calls_);
  faulty.Plan({.kind = CallKind::kWrite, .error = ENOSPC, .lasting = true});
  FileSystem files(faulty);
  const auto run = TryRun(files, "echo one; sleep 600");
  ASSERT_FALSE(run.ok());
  EXPECT_THAT(run.error().message, HasSubstr("No space left"));
}

TEST_F(GateRunTest, OneWhoseLogCannotBeMadeIsNotStarted) {
  request_.log = folder_ / "missing/log";
  EXPECT_FALSE(TryRun(files_, "echo >../started").ok());
  EXPECT_EQ(folder_.Read("started"), "(missing)");
}

TEST_F(GateRunTest, OtherChildrenOfOursAreNotTouched) {
  auto other = Process::Spawn({.command = {"sleep", "600"}});
  ASSERT_TRUE(other);
  const auto run = TryRun(files_, "true");
  EXPECT_EQ(other->TryWait(), std::nullopt);
  ASSERT_TRUE(other->Signal(SIGKILL).ok());
  (void)other->Wait();
  ASSERT_FALSE(run.ok());
  EXPECT_EQ(run.error().code, ErrorCode::kRefused);
}

TEST_F(GateRunTest, IsNoPassWhenTheKernelWasToReapItsChildren) {
  ASSERT_NE(signal(SIGCHLD, SIG_IGN), SIG_ERR);
  EXPECT_EQ(Run("exit 3").exit_code, 3);
}

TEST_F(GateRunTest, WeAreASubreaperOnlyWhileTheGateRuns) {
  (void)Run("true");
  int is = 1;
  ASSERT_EQ(prctl(PR_GET_CHILD_SUBREAPER, &is, 0, 0, 0), 0);
  EXPECT_EQ(is, 0);
}

}  // namespace
}  // namespace belay
