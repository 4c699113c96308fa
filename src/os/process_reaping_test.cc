#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>

#include "os/process.h"
#include "os/process_tree.h"
#include "os/program.h"
#include "testing/test_pipe.h"

namespace belay {
namespace {

constexpr Duration kBound = std::chrono::seconds(30);

bool IsSubreaper() {
  int is = 0;
  (void)prctl(PR_GET_CHILD_SUBREAPER, &is, 0, 0, 0);
  return is != 0;
}

Process Shell(const std::string& script, int output) {
  return *Process::Spawn({.command = {"sh", "-c", script}, .output = output});
}

TEST(ProcessReapingTest, WaitsNoLongerThanItsLimit) {
  const TestPipe input;
  auto cat = Process::Spawn({.command = {"cat"}, .input = input.read.get()});
  ASSERT_TRUE(cat);
  EXPECT_EQ(cat->WaitAtMost(std::chrono::milliseconds(1)), std::nullopt);
  EXPECT_EQ(cat->WaitAtMost(Duration::zero()), std::nullopt);
  ASSERT_TRUE(cat->Signal(SIGKILL).ok());
  EXPECT_EQ(cat->WaitAtMost(kBound), ExitStatus::Killed(SIGKILL));
  EXPECT_EQ(cat->WaitAtMost(Duration::zero()), ExitStatus::Killed(SIGKILL));
}

TEST(ProcessReapingTest, IsASubreaperOnlyForAWhile) {
  ASSERT_FALSE(IsSubreaper());
  {
    const auto scope = SubreaperScope::Begin();
    ASSERT_TRUE(scope.ok());
    EXPECT_TRUE(IsSubreaper());
  }
  EXPECT_FALSE(IsSubreaper());
}

TEST(ProcessReapingTest, StaysASubreaperThatItWasBefore) {
  ASSERT_TRUE(BecomeSubreaper().ok());
  (void)*SubreaperScope::Begin();
  EXPECT_TRUE(IsSubreaper());
  ASSERT_EQ(prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0), 0);
}

TEST(ProcessReapingTest, ASubreaperSeesChildrenThatTheKernelShouldReap) {
  ASSERT_NE(signal(SIGCHLD, SIG_IGN), SIG_ERR);
  const auto scope = SubreaperScope::Begin();
  Process shell = Shell("exit 3", STDOUT_FILENO);
  EXPECT_EQ(shell.Wait(), ExitStatus::Exited(3));
}

TEST(ProcessReapingTest, ReapsOrphansAndReportsHowTheLeaderEnded) {
  const auto scope = SubreaperScope::Begin();
  TestPipe output;
  // The orphan ends after it has reported; both have ended when the pipe has no writer left.
  Process shell = Shell("(sleep 0 & ) ; exit 4", output.write.get());
  EXPECT_EQ(output.ReadAll(), "");
  std::optional<ExitStatus> ended;
  while (HasChildren()) {
    const std::optional<ExitStatus> now = ReapChildren(&shell);
    if (now) ended = now;
  }
  EXPECT_EQ(ended, ExitStatus::Exited(4));
  EXPECT_EQ(ReapChildren(nullptr), std::nullopt);
}

TEST(OutputPipeTest, GivesWhatIsThereAndThenItsEnd) {
  auto pipe = OutputPipe::Make();
  ASSERT_TRUE(pipe.ok());
  pipe->Widen();
  char buffer[4];
  EXPECT_EQ(pipe->Read(buffer, 4).bytes, "");
  EXPECT_FALSE(pipe->Read(buffer, 4).ended);
  ASSERT_EQ(WriteAll(pipe->theirs(), "123456"), 0);
  EXPECT_EQ(pipe->Read(buffer, 4).bytes, "1234");
  pipe->CloseTheirs();
  EXPECT_EQ(pipe->Read(buffer, 4).bytes, "56");
  EXPECT_TRUE(pipe->Read(buffer, 4).ended);
}

}  // namespace
}  // namespace belay
