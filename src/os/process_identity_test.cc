#include "os/process_identity.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace belay {
namespace {

TEST(ProcessIdentityTest, KnowsThatWeAreAlive) {
  const auto self = IdentityOf(getpid());
  ASSERT_TRUE(self.ok());
  EXPECT_TRUE(IsAlive(*self));
  EXPECT_EQ(*IdentityOf(getpid()), *self);
}

TEST(ProcessIdentityTest, IsNotFooledByAPidInUseAgain) {
  ProcessIdentity former = *IdentityOf(getpid());
  former.start_time -= 1;
  EXPECT_FALSE(IsAlive(former));
}

TEST(ProcessIdentityTest, IsNotFooledByTheSamePidAndStartInAnotherBoot) {
  ProcessIdentity former = *IdentityOf(getpid());
  former.boot_id.front() = former.boot_id.front() == '0' ? '1' : '0';
  EXPECT_FALSE(IsAlive(former));
}

TEST(ProcessIdentityTest, CountsAProcessOfAnotherUserAsAlive) {
  const auto init = IdentityOf(1);
  ASSERT_TRUE(init.ok());
  EXPECT_TRUE(IsAlive(*init));
}

TEST(ProcessIdentityTest, TakesNoGroupForAProcess) {
  for (const pid_t pid : {0, -1, -getpid()}) {
    EXPECT_EQ(IdentityOf(pid).error().code, ErrorCode::kNotFound) << pid;
    EXPECT_FALSE(IsAlive({pid, 1, *BootId()})) << pid;
  }
}

TEST(ProcessIdentityTest, NamesTheParent) { EXPECT_EQ(*ParentOf(getpid()), getppid()); }

TEST(ProcessIdentityTest, NamesTheBoot) {
  const auto boot = BootId();
  ASSERT_TRUE(boot.ok());
  EXPECT_EQ(boot->size(), 36u);
  EXPECT_EQ(*BootId(), *boot);
}

}  // namespace
}  // namespace belay
