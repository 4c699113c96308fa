#include <gtest/gtest.h>

#include <set>

#include "engine/supervise/hung_agent.h"

namespace belay {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr MonotonicTime kStart{seconds(1000)};

class SampleScheduleTest : public ::testing::Test {
 protected:
  SampleSchedule schedule_{seconds(60), seconds(60)};
};

// AC-2.2: the rest of the 30 s is for the snapshot that shows the phase.
TEST_F(SampleScheduleTest, AnIdleOneIsLookedAtOftenEnoughForAChangeOfPhaseToShowInTime) {
  for (Duration late{}; late < seconds(30); late += milliseconds(77)) {
    for (const bool active : {false, true}) {
      const MonotonicTime now = kStart + late;
      const MonotonicTime next = schedule_.Next(now, AgentStatus::kAlive, active);
      EXPECT_GE(next - now, seconds(24));
      EXPECT_LE(next - now, seconds(28));
    }
  }
}

TEST_F(SampleScheduleTest, ManyShareAFewWakeUps) {
  std::set<MonotonicTime> moments;
  for (std::uint64_t i = 0; i < 200; ++i) {
    MonotonicTime at = schedule_.First(kStart + milliseconds(i), i * 7919);
    EXPECT_LE(at - kStart, seconds(29));
    while (at < kStart + minutes(1)) {
      moments.insert(at);
      // A sample takes some time.
      at = schedule_.Next(at + milliseconds(i % 50), AgentStatus::kAlive, false);
    }
  }
  EXPECT_LE(moments.size(), 16u);
}

TEST_F(SampleScheduleTest, AWorkingOneIsLookedAtAsOftenAsSnapshotsAreWanted) {
  const SampleSchedule often(seconds(60), seconds(10));
  EXPECT_LE(often.Next(kStart, AgentStatus::kAlive, true) - kStart, seconds(14));
  EXPECT_GE(often.Next(kStart, AgentStatus::kAlive, false) - kStart, seconds(24));
}

TEST_F(SampleScheduleTest, ASuspectHasMoreTime) {
  EXPECT_GE(schedule_.Next(kStart, AgentStatus::kSuspect, false) - kStart, seconds(60));
}

// R1.4: last_seen is never older than a heartbeat.
TEST_F(SampleScheduleTest, ThatItIsAliveIsRecordedOnceAHeartbeat) {
  MonotonicTime recorded = kStart;
  MonotonicTime at = kStart;
  int looks = 0;
  int records = 0;
  while (at < kStart + minutes(60)) {
    const MonotonicTime now = at;
    at = schedule_.Next(now, AgentStatus::kAlive, false);
    ++looks;
    if (!schedule_.MustRecord(recorded, at)) continue;
    EXPECT_LE(now - recorded, seconds(60));
    recorded = now;
    ++records;
  }
  EXPECT_LT(records, looks);
  EXPECT_GE(records, 60);
}

TEST_F(SampleScheduleTest, AShortHeartbeatIsKept) {
  const SampleSchedule quick(milliseconds(100), seconds(60));
  EXPECT_LE(quick.Next(kStart, AgentStatus::kAlive, false) - kStart, milliseconds(117));
  const SampleSchedule none(Duration::zero(), Duration::zero());
  EXPECT_GE(none.Next(kStart, AgentStatus::kAlive, true), kStart);
}

}  // namespace
}  // namespace belay
