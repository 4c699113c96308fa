#include "os/clock.h"

#include <gtest/gtest.h>

namespace belay {
namespace {

TEST(ClockTest, KnowsThatThisWasWrittenInThePast) {
  EXPECT_GT(SystemClock().Wall(), *ParseUtc("2024-01-01T00:00:00Z"));
}

TEST(ClockTest, NeverGoesBackwards) {
  const SystemClock clock;
  const MonotonicTime monotonic = clock.Monotonic();
  const BootTime boot = clock.Boot();
  EXPECT_GE(clock.Monotonic(), monotonic);
  EXPECT_GE(clock.Boot(), boot);
}

TEST(ClockTest, CountsSleepOfTheMachineOnlyOnTheBootClock) {
  const SystemClock clock;
  const Duration monotonic = clock.Monotonic().time_since_epoch();
  EXPECT_GE(clock.Boot().time_since_epoch(), monotonic);
}

}  // namespace
}  // namespace belay
