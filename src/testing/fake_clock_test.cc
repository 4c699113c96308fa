#include "testing/fake_clock.h"

#include <gtest/gtest.h>

namespace belay {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

TEST(FakeClockTest, StandsStillUntilItIsAdvanced) {
  FakeClock clock;
  const WallTime wall = clock.Wall();
  const MonotonicTime monotonic = clock.Monotonic();
  const BootTime boot = clock.Boot();
  EXPECT_EQ(clock.Wall(), wall);
  clock.Advance(seconds(5));
  EXPECT_EQ(clock.Wall() - wall, seconds(5));
  EXPECT_EQ(clock.Monotonic() - monotonic, seconds(5));
  EXPECT_EQ(clock.Boot() - boot, seconds(5));
}

TEST(FakeClockTest, JumpsOnlyOnTheWall) {
  FakeClock clock;
  const WallTime wall = clock.Wall();
  const MonotonicTime monotonic = clock.Monotonic();
  const BootTime boot = clock.Boot();
  clock.JumpWall(-hours(1));
  EXPECT_EQ(clock.Wall() - wall, -hours(1));
  EXPECT_EQ(clock.Monotonic(), monotonic);
  EXPECT_EQ(clock.Boot(), boot);
}

TEST(FakeClockTest, SuspendsEverythingButTheMonotonicClock) {
  FakeClock clock;
  const WallTime wall = clock.Wall();
  const MonotonicTime monotonic = clock.Monotonic();
  const BootTime boot = clock.Boot();
  clock.Suspend(hours(8));
  EXPECT_EQ(clock.Wall() - wall, hours(8));
  EXPECT_EQ(clock.Monotonic(), monotonic);
  EXPECT_EQ(clock.Boot() - boot, hours(8));
}

}  // namespace
}  // namespace belay
