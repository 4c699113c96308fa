#include <fstream>

#include "os/clock.h"
#include "os/process.h"
#include "sandbox.h"
#include "store/layout.h"
#include "store/state_lock.h"
#include "testing/places.h"

namespace belay {
namespace {

// Whether that process waits for a lock on a file.
bool WaitsForLock(pid_t pid) {
  std::ifstream locks("/proc/locks");
  for (std::string line; std::getline(locks, line);) {
    const bool waits = line.find("->") != std::string::npos;
    if (waits && line.find(" " + std::to_string(pid) + " ") != std::string::npos) return true;
  }
  return false;
}

class GuardLock : public Sandbox {
 protected:
  GuardLock() { EXPECT_EQ(Belay({"init", "--yes"}).exit_code, 0); }

  RealFileCalls calls_;
  FileSystem files_{calls_};
  Layout project_{folder_ / "repo", folder_ / "repo/.git"};
};

TEST_F(GuardLock, OneThatIsGivenUpInAMomentIsWaitedFor) {
  std::optional<StateLock> held =
      *StateLock::Acquire(files_, project_.GuardianLock(), Duration::zero());
  auto guard =
      Process::Spawn({.command = {BelayBinary(), "guard", "--once"}, .folder = folder_ / "repo"});
  ASSERT_TRUE(guard.has_value());
  while (!WaitsForLock(guard->pid()) && !guard->TryWait()) {
  }
  held.reset();
  EXPECT_EQ(guard->Wait(), ExitStatus::Exited(0));
}

TEST_F(GuardLock, OneThatIsKeptIsRefused) {
  const auto held = StateLock::Acquire(files_, project_.GuardianLock(), Duration::zero());
  ASSERT_TRUE(held.ok());
  EXPECT_EQ(Belay({"guard", "--once"}).exit_code, 75);
}

}  // namespace
}  // namespace belay
