#include "testing/private_network.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/kernel.h"
#include "testing/loopback.h"

namespace belay {
namespace {

// What a process observes there, as its exit code.
int InChild(int (*look)()) {
  const pid_t child = fork();
  if (child == 0) _exit(EnterPrivateNetwork().ok() ? look() : 99);
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WEXITSTATUS(status);
}

TEST(PrivateNetworkTest, HasLoopbackOnly) {
  if (!ProbeKernel().user_namespaces) GTEST_SKIP() << "no user namespaces here";
  const auto outside = ListenLoopback();
  ASSERT_TRUE(outside.ok());
  static std::uint16_t port_outside = 0;
  port_outside = outside->port;
  EXPECT_EQ(InChild([] {
              if (ConnectLoopback(port_outside).ok()) return 1;
              const auto inside = ListenLoopback();
              if (!inside.ok()) return 2;
              return ConnectLoopback(inside->port).ok() ? 0 : 3;
            }),
            0);
}

TEST(PrivateNetworkTest, LeavesTheUserAsItWas) {
  if (!ProbeKernel().user_namespaces) GTEST_SKIP() << "no user namespaces here";
  static uid_t user = 0;
  user = getuid();
  EXPECT_EQ(InChild([] { return getuid() == user ? 0 : 1; }), 0);
}

}  // namespace
}  // namespace belay
