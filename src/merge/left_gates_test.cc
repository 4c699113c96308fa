#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "merge/test_gate.h"
#include "os/clock.h"
#include "testing/test_pipe.h"

namespace belay {
namespace {

class LeftGatesTest : public GateFixture {
 protected:
  // Runs the gate in a process that is killed as soon as the gate has printed "begun", and the log
  // has it.
  void RunAndBeKilled(const std::string& script) {
    TestPipe begun;
    const pid_t runner = fork();
    ASSERT_GE(runner, 0);
    if (runner == 0) {
      watch_.progress = [&](const GateProgress& progress) {
        if (progress.last_line == "begun") (void)WriteAll(begun.write.get(), "begun\n");
      };
      (void)TryRun(files_, script);
      _exit(1);
    }
    EXPECT_EQ(begun.ReadLine(), "begun");
    ASSERT_EQ(kill(runner, SIGKILL), 0);
    ASSERT_EQ(waitpid(runner, nullptr, 0), runner);
  }

  SystemClock clock_;
};

TEST_F(LeftGatesTest, AGateThatEndedLeavesNoProcess) {
  (void)Run("sleep 600 &");
  EXPECT_EQ(*EndLeftGates(clock_, request_.mark), 0);
}

TEST_F(LeftGatesTest, WhoIsLeftOfARunnerThatWasKilledIsKilled) {
  RunAndBeKilled(
      "mkfifo up; (setsid sh -c 'trap \"\" TERM; echo up >up; exec sleep 600' &); read -r x <up;"
      "echo begun; exec sleep 600");
  EXPECT_EQ(Log(), "begun\n");
  EXPECT_EQ(*EndLeftGates(clock_, request_.mark), 2);
  EXPECT_EQ(*EndLeftGates(clock_, request_.mark), 0);
}

TEST_F(LeftGatesTest, AChildWithoutTheMarkIsFoundThroughItsParent) {
  RunAndBeKilled(
      "mkfifo up; env -i sh -c 'echo $$ >pid; echo up >up; exec sleep 600' & "
      "read -r x <up; echo begun; wait");
  const pid_t unmarked = std::stoi(folder_.Read("work/pid"));
  Result<Process> child = Process::Open(unmarked);
  ASSERT_TRUE(child.ok());
  EXPECT_EQ(*EndLeftGates(clock_, request_.mark), 2);
  EXPECT_NE(child->TryWait(), std::nullopt);
}

TEST_F(LeftGatesTest, OthersAreLeftAlone) {
  RunAndBeKilled("echo begun; exec sleep 600");
  EXPECT_EQ(*EndLeftGates(clock_, request_.mark + "2"), 0);
  EXPECT_EQ(*EndLeftGates(clock_, request_.mark.substr(0, request_.mark.size() - 1)), 0);
  EXPECT_EQ(*EndLeftGates(clock_, request_.mark), 1);
}

}  // namespace
}  // namespace belay
