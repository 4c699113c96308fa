#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "os/event_loop.h"

namespace belay {
namespace {

using std::chrono::seconds;

MonotonicTime At(int second) { return MonotonicTime(seconds(second)); }

class TimerQueueTest : public ::testing::Test {
 protected:
  TimerId Start(int second, const std::string& name) {
    return queue_.Start(At(second), [this, name] { fired_ += name; });
  }

  TimerQueue queue_;
  std::string fired_;
};

TEST_F(TimerQueueTest, FiresInOrderOfTimeAndThenOfStart) {
  Start(2, "c");
  Start(1, "a");
  Start(2, "d");
  Start(1, "b");
  queue_.RunDue(At(2));
  EXPECT_EQ(fired_, "abcd");
}

TEST_F(TimerQueueTest, FiresOnlyWhatIsDueAndOnlyOnce) {
  Start(1, "a");
  Start(2, "b");
  queue_.RunDue(At(1));
  queue_.RunDue(At(1));
  EXPECT_EQ(fired_, "a");
  EXPECT_EQ(queue_.Next(), At(2));
}

TEST_F(TimerQueueTest, KnowsThatThereIsNothingToWaitFor) {
  EXPECT_EQ(queue_.Next(), std::nullopt);
  queue_.Cancel(Start(1, "a"));
  EXPECT_EQ(queue_.Next(), std::nullopt);
}

TEST_F(TimerQueueTest, NeverFiresWhatWasCancelledInTheSameRound) {
  TimerId second{};
  queue_.Start(At(1), [&] { queue_.Cancel(second); });
  second = Start(1, "b");
  Start(1, "c");
  queue_.RunDue(At(1));
  EXPECT_EQ(fired_, "c");
}

TEST_F(TimerQueueTest, LetsATimerCancelItselfAndStartItsSuccessor) {
  TimerId self{};
  self = queue_.Start(At(1), [&] {
    queue_.Cancel(self);
    Start(0, "next");
  });
  queue_.RunDue(At(1));
  EXPECT_EQ(fired_, "");
  queue_.RunDue(At(1));
  EXPECT_EQ(fired_, "next");
}

TEST_F(TimerQueueTest, IgnoresACancelAfterTheFact) {
  const TimerId id = Start(1, "a");
  queue_.RunDue(At(1));
  queue_.Cancel(id);
  queue_.Cancel(TimerId{});
  EXPECT_EQ(fired_, "a");
}

}  // namespace
}  // namespace belay
