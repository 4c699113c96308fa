#include "guardian/chores.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "testing/fake_clock.h"
#include "testing/simulated_event_loop.h"

namespace belay {
namespace {

using ::testing::ElementsAre;

class ChoresTest : public ::testing::Test {
 protected:
  std::function<void()> Does(const std::string& what) {
    return [this, what] { done_.push_back(what); };
  }

  FakeClock clock_;
  SimulatedEventLoop loop_{clock_};
  Chores chores_{loop_};
  std::vector<std::string> done_;
};

TEST_F(ChoresTest, RunInTheOrderOfAdding) {
  for (const std::string name : {"b", "a", "c"}) chores_.Add(name, Does(name));
  EXPECT_TRUE(done_.empty());
  EXPECT_FALSE(chores_.idle());
  loop_.RunFor(Duration::zero());
  EXPECT_THAT(done_, ElementsAre("b", "a", "c"));
  EXPECT_TRUE(chores_.idle());
}

TEST_F(ChoresTest, OneThatStillWaitsIsNotAddedTwice) {
  chores_.Add("a", Does("first"));
  chores_.Add("a", Does("second"));
  loop_.RunFor(Duration::zero());
  EXPECT_THAT(done_, ElementsAre("first"));
  chores_.Add("a", Does("third"));
  loop_.RunFor(Duration::zero());
  EXPECT_THAT(done_, ElementsAre("first", "third"));
}

TEST_F(ChoresTest, ThoseWithoutANameAreAllRun) {
  chores_.Add("", Does("first"));
  chores_.Add("", Does("second"));
  loop_.RunFor(Duration::zero());
  EXPECT_THAT(done_, ElementsAre("first", "second"));
}

TEST_F(ChoresTest, OneMayAddItselfAgainWhileItRuns) {
  chores_.Add("a", [this] {
    done_.push_back("first");
    chores_.Add("a", Does("again"));
  });
  loop_.RunFor(Duration::zero());
  EXPECT_THAT(done_, ElementsAre("first", "again"));
}

TEST_F(ChoresTest, WhatHappensMeanwhileIsSeenBetweenTwo) {
  chores_.Add("a", [this] {
    done_.push_back("a");
    loop_.Post(Does("a death"));
  });
  chores_.Add("b", Does("b"));
  loop_.RunFor(Duration::zero());
  EXPECT_THAT(done_, ElementsAre("a", "a death", "b"));
}

TEST_F(ChoresTest, TheLastOneSeesThatNothingElseWaits) {
  bool idle = false;
  chores_.Add("a", Does("a"));
  chores_.Add("b", [&] { idle = chores_.idle(); });
  loop_.RunFor(Duration::zero());
  EXPECT_TRUE(idle);
}

}  // namespace
}  // namespace belay
