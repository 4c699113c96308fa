#include "adapters/git/landing_proof.h"

#include <gtest/gtest.h>

#include "adapters/git/test_merge.h"

namespace belay {
namespace {

class LandingProofTest : public MergeTest {
 protected:
  LandingProofTest() {
    CommitFile("f", Lines(9));
    start_ = Resolve("main");
    OnBranch("work");
  }
  Landing Prove(const ObjectId& start = {}) {
    MergeRoom room = OpenRoom(Resolve("main"));
    const auto landing = ProveLanding(room, Resolve("work"), start);
    EXPECT_TRUE(landing.ok()) << (landing ? "" : landing.error().message);
    return landing ? *landing : Landing{};
  }

  ObjectId start_;
};

TEST_F(LandingProofTest, OfANewBranchIsNone) {
  EXPECT_EQ(Prove(start_).proof, LandingProof::kNothingToLand);
  EXPECT_FALSE(Prove(start_).IsLanded());
  EXPECT_EQ(Prove().proof, LandingProof::kAncestry);  // from the commits alone it can't be told
}

TEST_F(LandingProofTest, OfWorkThatDidntLandIsNone) {
  CommitFile("a", "1\n");
  EXPECT_EQ(Prove(start_).proof, LandingProof::kNotLanded);
}

TEST_F(LandingProofTest, IsAncestryAfterAMerge) {
  CommitFile("a", "1\n");
  OnBranch("main");
  repo_.Git({"merge", "-q", "--no-ff", "--no-edit", "work"});
  EXPECT_EQ(Prove(start_).proof, LandingProof::kAncestry);
}

TEST_F(LandingProofTest, IsPatchesAfterARebase) {
  CommitFile("a", "1\n");
  Commit("empty");
  CommitFile("b", "1\n");
  OnBranch("main");
  CommitFile("c", "1\n");
  repo_.Git({"cherry-pick", "work~2", "work"});
  EXPECT_EQ(Prove(start_).proof, LandingProof::kPatches);
  EXPECT_TRUE(Prove(start_).still_there);
  repo_.Git({"revert", "--no-edit", "HEAD"});
  EXPECT_EQ(Prove(start_).proof, LandingProof::kPatches);
  EXPECT_FALSE(Prove(start_).still_there);
}

TEST_F(LandingProofTest, OfSomeCommitsIsNone) {
  CommitFile("a", "1\n");
  CommitFile("b", "1\n");
  OnBranch("main");
  CommitFile("c", "1\n");
  repo_.Git({"cherry-pick", "work"});
  EXPECT_EQ(Prove(start_).proof, LandingProof::kNotLanded);
}

TEST_F(LandingProofTest, IsNoChangeAfterASquash) {
  CommitFile("a", "1\n");
  CommitFile("a", "2\n");
  OnBranch("main");
  repo_.Git({"merge", "-q", "--squash", "work"});
  Commit("squashed");
  CommitFile("c", "1\n");
  EXPECT_EQ(Prove(start_).proof, LandingProof::kNoChange);
}

TEST_F(LandingProofTest, OfWorkThatTookItselfBackIsNone) {
  CommitFile("a", "1\n");
  repo_.Remove("a");
  Commit("back");
  OnBranch("main");
  CommitFile("c", "1\n");
  EXPECT_EQ(Prove(start_).proof, LandingProof::kNothingToLand);
}

}  // namespace
}  // namespace belay
