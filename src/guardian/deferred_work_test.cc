#include "guardian/deferred_work.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "testing/fake_clock.h"
#include "testing/simulated_event_loop.h"

namespace belay {
namespace {

using ::testing::ElementsAre;

class DeferredWorkTest : public ::testing::Test {
 protected:
  std::function<void()> Does(const std::string& what) {
    return [this, what] { done_.push_back(what); };
  }

  FakeClock clock_;
  SimulatedEventLoop loop_{clock_};
  DeferredWork deferred_work_{loop_};
  std::vector<std::string> done_;
};

TEST_F(DeferredWorkTest, RunInTheOrderOfAdding) {
  for (const std::string name : {"b", "a", "c"}) deferred_work_.Add(name, Does(name));
  EXPECT_TRUE(done_.empty());
  EXPECT_FALSE(deferred_work_.idle());
  loop_.RunFor(Duration::zero());
  EXPECT_THAT(done_, ElementsAre("b", "a", "c"));
  EXPECT_TRUE(deferred_work_.idle());
}

TEST_F(DeferredWorkTest, OneThatStillWaitsIsNotAddedTwice) {
  deferred_work_.Add("a", Does("first"));
  deferred_work_.Add("a", Does("second"));
  loop_.RunFor(Duration::zero());
  EXPECT_THAT(done_, ElementsAre("first"));
  deferred_work_.Add("a", Does("third"));
  loop_.RunFor(Duration::zero());
  EXPECT_THAT(done_, ElementsAre("first", "third"));
}

TEST_F(DeferredWorkTest, ThoseWithoutANameAreAllRun) {
  deferred_work_.Add("", Does("first"));
  deferred_work_.Add("", Does("second"));
  loop_.RunFor(Duration::zero());
  EXPECT_THAT(done_, ElementsAre("first", "second"));
}

TEST_F(DeferredWorkTest, OneMayAddItselfAgainWhileItRuns) {
  deferred_work_.Add("a", [this] {
    done_.push_back("first");
    deferred_work_.Add("a", Does("again"));
  });
  loop_.RunFor(Duration::zero());
  EXPECT_THAT(done_, ElementsAre("first", "again"));
}

TEST_F(DeferredWorkTest, EventsAreHandledBetweenTwoItems) {
  deferred_work_.Add("a", [this] {
    done_.push_back("a");
    loop_.Post(Does("a death"));
  });
  deferred_work_.Add("b", Does("b"));
  loop_.RunFor(Duration::zero());
  EXPECT_THAT(done_, ElementsAre("a", "a death", "b"));
}

TEST_F(DeferredWorkTest, TheLastOneSeesThatNothingElseWaits) {
  bool idle = false;
  deferred_work_.Add("a", Does("a"));
  deferred_work_.Add("b", [&] { idle = deferred_work_.idle(); });
  loop_.RunFor(Duration::zero());
  EXPECT_TRUE(idle);
}

}  // namespace
}  // namespace belay
