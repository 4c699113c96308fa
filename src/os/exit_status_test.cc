#include "os/exit_status.h"

#include <gtest/gtest.h>

#include <csignal>

namespace belay {
namespace {

TEST(ExitStatusTest, DescribesHowAProcessEnded) {
  EXPECT_EQ(ExitStatus::Exited(3).text(), "exit code 3");
  EXPECT_EQ(ExitStatus::Killed(SIGKILL).text(), "killed by SIGKILL");
  EXPECT_EQ(ExitStatus::Killed(SIGSEGV, true).text(), "killed by SIGSEGV (core dumped)");
  EXPECT_EQ(ExitStatus::Killed(40).text(), "killed by signal 40");
  EXPECT_EQ(ExitStatus::Unknown().text(), "ended in an unknown way");
}

TEST(ExitStatusTest, IsCleanOnlyForExitCodeZero) {
  EXPECT_TRUE(ExitStatus::Exited(0).clean());
  EXPECT_FALSE(ExitStatus::Exited(1).clean());
  EXPECT_FALSE(ExitStatus::Killed(SIGTERM).clean());
  EXPECT_FALSE(ExitStatus::Unknown().clean());
}

TEST(ExitStatusTest, ReadsTheKernelsWord) {
  EXPECT_EQ(ExitStatus::FromWaitStatus(0x0300), ExitStatus::Exited(3));
  EXPECT_EQ(ExitStatus::FromWaitStatus(0x0009), ExitStatus::Killed(SIGKILL));
  EXPECT_EQ(ExitStatus::FromWaitStatus(0x008b), ExitStatus::Killed(SIGSEGV, true));
}

}  // namespace
}  // namespace belay
