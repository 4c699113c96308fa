#include "os/kernel.h"

#include <gtest/gtest.h>
#include <sys/utsname.h>

namespace belay {
namespace {

TEST(KernelTest, ProbesWithoutChangingTheProcess) {
  const KernelFeatures first = ProbeKernel();
  const KernelFeatures second = ProbeKernel();
  utsname name{};
  ASSERT_EQ(uname(&name), 0);
  EXPECT_EQ(first.release, name.release);
  EXPECT_TRUE(first.pidfd);  // Linux 5.3; the tests need it anyway
  EXPECT_TRUE(first.inotify);
  EXPECT_EQ(first.user_namespaces, second.user_namespaces);
  EXPECT_EQ(first.landlock_abi, second.landlock_abi);
}

}  // namespace
}  // namespace belay
