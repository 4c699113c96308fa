#include "testing/simulated_event_loop.h"

#include <gtest/gtest.h>

#include <csignal>
#include <string>

#include "testing/cpu_time.h"

namespace belay {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

class SimulatedEventLoopTest : public ::testing::Test {
 protected:
  FakeClock clock_;
  SimulatedEventLoop loop_{clock_};
};

TEST_F(SimulatedEventLoopTest, RunsADayOfMinuteTimersInNoTime) {
  const WallTime start = clock_.Wall();
  int ticks = 0;
  std::function<void()> tick = [&] {
    ++ticks;
    EXPECT_EQ(clock_.Wall() - start, minutes(ticks));
    loop_.StartTimer(minutes(1), tick);
  };
  loop_.StartTimer(minutes(1), tick);
  EXPECT_LT(CpuTime([&] { loop_.RunFor(hours(24)); }), seconds(1));
  EXPECT_EQ(ticks, 24 * 60);
  EXPECT_EQ(clock_.Wall() - start, hours(24));
}

TEST_F(SimulatedEventLoopTest, FiresTimersInOrderAndNoneThatWasCancelled) {
  std::string fired;
  TimerId victim{};
  loop_.StartTimer(seconds(3), [&] { fired += "c"; });
  loop_.StartTimer(seconds(1), [&] {
    fired += "a";
    loop_.CancelTimer(victim);
  });
  victim = loop_.StartTimer(seconds(2), [&] { fired += "b"; });
  loop_.StartTimer(seconds(5), [&] { fired += "d"; });
  loop_.RunFor(seconds(4));
  EXPECT_EQ(fired, "ac");
}

TEST_F(SimulatedEventLoopTest, RunsWhatIsPostedBeforeTimeMovesOn) {
  std::string seen;
  const MonotonicTime start = clock_.Monotonic();
  loop_.StartTimer(seconds(1), [&] {
    loop_.Post([&] {
      seen += "p";
      EXPECT_EQ(clock_.Monotonic() - start, seconds(1));
    });
  });
  loop_.StartTimer(seconds(2), [&] { seen += "t"; });
  loop_.RunFor(seconds(2));
  EXPECT_EQ(seen, "pt");
}

TEST_F(SimulatedEventLoopTest, FiresATimerThatIsLateAtOnce) {
  bool fired = false;
  loop_.StartTimer(seconds(1), [&] { fired = true; });
  clock_.Advance(hours(1));
  loop_.RunFor(Duration(0));
  EXPECT_TRUE(fired);
}

TEST_F(SimulatedEventLoopTest, StopsAtTheGivenTime) {
  const MonotonicTime start = clock_.Monotonic();
  loop_.StartTimer(seconds(1), [&] { loop_.Stop(); });
  loop_.StartTimer(seconds(2), [] { ADD_FAILURE(); });
  loop_.RunFor(hours(1));
  EXPECT_EQ(clock_.Monotonic() - start, seconds(1));
}

TEST_F(SimulatedEventLoopTest, RunsUntilNothingIsLeft) {
  int fired = 0;
  for (int i = 0; i < 3; ++i) loop_.StartTimer(hours(i), [&] { ++fired; });
  loop_.Run();
  EXPECT_EQ(fired, 3);
}

TEST_F(SimulatedEventLoopTest, FiresTheEventsOfTheTest) {
  std::string seen;
  const WatchId fd = *loop_.Watch(5, Readiness::kReadable, [&] { seen += "r"; });
  ASSERT_TRUE(loop_.WatchSignal(SIGTERM, [&] { seen += "s"; }).ok());
  ASSERT_TRUE(
      loop_.WatchFolder("/inbox", [&](const FolderEvent& event) { seen += event.name; }).ok());
  EXPECT_TRUE(loop_.Fire(5, Readiness::kReadable));
  EXPECT_FALSE(loop_.Fire(5, Readiness::kWritable));
  EXPECT_TRUE(loop_.FireSignal(SIGTERM));
  EXPECT_TRUE(loop_.FireFolder("/inbox", {FolderChange::kMovedIn, "n"}));
  loop_.Unwatch(fd);
  EXPECT_FALSE(loop_.Fire(5, Readiness::kReadable));
  EXPECT_EQ(seen, "rsn");
}

TEST_F(SimulatedEventLoopTest, ReportsADeathOnce) {
  int deaths = 0;
  const Process process = Process::Adopt(4711, UniqueFd());
  ASSERT_TRUE(loop_.WatchProcess(process, [&] { ++deaths; }).ok());
  EXPECT_TRUE(loop_.FireProcess(4711));
  EXPECT_FALSE(loop_.FireProcess(4711));
  EXPECT_EQ(deaths, 1);
}

TEST_F(SimulatedEventLoopTest, LetsACallbackEndItsOwnWatch) {
  WatchId self{};
  self = *loop_.WatchSignal(SIGTERM, [&] { loop_.Unwatch(self); });
  EXPECT_TRUE(loop_.FireSignal(SIGTERM));
  EXPECT_FALSE(loop_.FireSignal(SIGTERM));
}

}  // namespace
}  // namespace belay
