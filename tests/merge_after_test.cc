// Work that comes after other work: said late, in a circle, or after what won't land.

#include "merge_sandbox.h"

namespace belay {
namespace {

using ::testing::HasSubstr;

class MergeAfterTest : public MergeSandbox {
 protected:
  // m1 is a; m2 is b, which comes after it.
  void AddBAfterA() {
    AddBranch("a", {{"a", "1\n"}});
    Branch("b", {{{"b", "1\n"}}});
    Add("b", {"--after", "m1"});
  }
};

TEST_F(MergeAfterTest, AppliesToEntriesThatAreAlreadyQueued) {
  AddBranch("a", {{"a", "1\n"}});
  AddBranch("b", {{"b", "1\n"}});
  const RunOutcome again = Queue({"add", "a", "--after", "m2"});
  EXPECT_EQ(again.exit_code, 0);
  EXPECT_THAT(again.err, HasSubstr("m1 is already in the queue, and now waits for m2"));
  EXPECT_THAT(Queue({"list"}).out, HasSubstr("waits for m2"));
  Land();
  EXPECT_EQ(History(), "first\nwork on b\nwork on a\n");
}

TEST_F(MergeAfterTest, ACircleIsRefused) {
  AddBAfterA();
  ExpectRefused({"add", "a", "--after", "m2"}, 4, "m2 already waits for a", "omit --after");
  Land();
  EXPECT_EQ(History(), "first\nwork on a\nwork on b\n");
}

TEST_F(MergeAfterTest, EntriesThatWaitForRemovedWorkAreCancelledAndReported) {
  AddBAfterA();
  EXPECT_EQ(Queue({"remove", "m1"}).exit_code, 0);
  EXPECT_EQ(ProcessAll().exit_code, 1);
  EXPECT_EQ(Status("m2"), "cancelled");
  EXPECT_THAT(ErrorOf("m2"), HasSubstr("it depends on m1 (a: removed), which won't land"));
  EXPECT_THAT(Belay({"signal", "list", "person"}).out, HasSubstr("MERGE_FAILED"));
  EXPECT_EQ(Add("b"), "m3");
  Land();
  EXPECT_EQ(History(), "first\nwork on b\n");
}

TEST_F(MergeAfterTest, WhatWaitsForABranchThatIsGoneIsCancelled) {
  AddBAfterA();
  repo_.Git({"branch", "-q", "-D", "a"});
  EXPECT_EQ(ProcessAll().exit_code, 1);
  EXPECT_EQ(Status("m2"), "cancelled");
}

TEST_F(MergeAfterTest, WhatWasRemovedAndAddedAgainIsWaitedFor) {
  AddBAfterA();
  EXPECT_EQ(Queue({"remove", "m1"}).exit_code, 0);
  EXPECT_EQ(Add("a", {"--priority=-5"}), "m3");
  EXPECT_THAT(Queue({"list"}).out, HasSubstr("waits for m3"));
  Land();
  EXPECT_EQ(History(), "first\nwork on a\nwork on b\n");
}

}  // namespace
}  // namespace belay
