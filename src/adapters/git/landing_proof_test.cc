#include <gtest/gtest.h>

#include "adapters/git/branch_history.h"
#include "adapters/git/test_git.h"

namespace belay {
namespace {

class LandingProofTest : public MergeTest {
 protected:
  LandingProofTest() {
    CommitFile("f", Lines(9));
    start_ = Resolve("main");
    OnBranch("work");
  }
  LandingProof Prove(const ObjectId& start = {}) {
    MergeRoom room = OpenRoom(Resolve("main"));
    const auto landing = ProveLanding(room, Resolve("work"), start);
    EXPECT_TRUE(landing.ok()) << (landing ? "" : landing.error().message);
    return landing ? *landing : LandingProof::kNotLanded;
  }

  ObjectId start_;
};

TEST_F(LandingProofTest, OfANewBranchIsNone) {
  EXPECT_EQ(Prove(start_), LandingProof::kNothingToLand);
  EXPECT_FALSE(IsLanded(Prove(start_)));
  EXPECT_EQ(Prove(), LandingProof::kAncestry);  // by its commits alone it can't be distinguished
}

TEST_F(LandingProofTest, OfWorkThatDidntLandIsNone) {
  CommitFile("a", "1\n");
  EXPECT_EQ(Prove(start_), LandingProof::kNotLanded);
}

TEST_F(LandingProofTest, IsAncestryAfterAMerge) {
  CommitFile("a", "1\n");
  OnBranch("main");
  repo_.Git({"merge", "-q", "--no-ff", "--no-edit", "work"});
  EXPECT_EQ(Prove(start_), LandingProof::kAncestry);
}

TEST_F(LandingProofTest, IsPatchesAfterARebase) {
  CommitFile("a", "1\n");
  Commit("empty");
  CommitFile("b", "1\n");
  OnBranch("main");
  CommitFile("c", "1\n");
  repo_.Git({"cherry-pick", "work~2", "work"});
  EXPECT_EQ(Prove(start_), LandingProof::kPatches);
}

TEST_F(LandingProofTest, OfWhatWasTakenBackIsNone) {
  CommitFile("a", "1\n");
  OnBranch("main");
  CommitFile("c", "1\n");
  repo_.Git({"cherry-pick", "work"});
  repo_.Git({"revert", "--no-edit", "HEAD"});
  EXPECT_EQ(Prove(start_), LandingProof::kNotLanded);
}

TEST_F(LandingProofTest, OfTheSamePatchElsewhereInTheFileIsNone) {
  std::string same;
  for (int i = 0; i < 30; ++i) same += "same\n";
  const auto with_line_after = [&](std::size_t lines) {
    return std::string(same).insert(lines * 5, "new\n");
  };
  OnBranch("main");
  CommitFile("f", same);
  repo_.Git({"branch", "-f", "work"});
  OnBranch("work");
  CommitFile("f", with_line_after(20));
  OnBranch("main");
  CommitFile("f", with_line_after(5));
  EXPECT_EQ(Prove(), LandingProof::kNotLanded);
}

TEST_F(LandingProofTest, OfSomeCommitsIsNone) {
  CommitFile("a", "1\n");
  CommitFile("b", "1\n");
  OnBranch("main");
  CommitFile("c", "1\n");
  repo_.Git({"cherry-pick", "work"});
  EXPECT_EQ(Prove(start_), LandingProof::kNotLanded);
}

TEST_F(LandingProofTest, IsASquashAfterASquash) {
  CommitFile("a", "1\n");
  CommitFile("b", "2\n");
  OnBranch("main");
  repo_.Git({"merge", "-q", "--squash", "work"});
  Commit("squashed");
  CommitFile("c", "1\n");
  EXPECT_EQ(Prove(start_), LandingProof::kSquash);
}

// The first commit alone no longer applies, so its work can't be verified.
TEST_F(LandingProofTest, OfASquashOfCommitsThatChangeEachOtherIsNone) {
  CommitFile("a", "1\n");
  CommitFile("a", "2\n");
  OnBranch("main");
  repo_.Git({"merge", "-q", "--squash", "work"});
  Commit("squashed");
  EXPECT_EQ(Prove(start_), LandingProof::kNotLanded);
}

TEST_F(LandingProofTest, OfASquashThatWasTakenBackIsNone) {
  CommitFile("a", "1\n");
  CommitFile("b", "2\n");
  OnBranch("main");
  repo_.Git({"merge", "-q", "--squash", "work"});
  Commit("squashed");
  repo_.Git({"revert", "--no-edit", "HEAD"});
  EXPECT_EQ(Prove(start_), LandingProof::kNotLanded);
}

TEST_F(LandingProofTest, OfTheSameFilesByOtherCommitsIsNone) {
  CommitFile("a", "1\n");
  OnBranch("main");
  repo_.Write("a", "1\n");
  repo_.Write("c", "1\n");
  Commit("a and more");
  EXPECT_EQ(Prove(start_), LandingProof::kNoChange);
  EXPECT_FALSE(IsLanded(Prove(start_)));
}

TEST_F(LandingProofTest, OfABranchWithMergesIsAncestryOrNone) {
  CommitFile("a", "1\n");
  OnBranch("main");
  CommitFile("c", "1\n");
  OnBranch("work");
  repo_.Git({"merge", "-q", "--no-edit", "main"});
  OnBranch("main");
  repo_.Git({"merge", "-q", "--squash", "work"});
  Commit("squashed");
  EXPECT_EQ(Prove(start_), LandingProof::kNoChange);
}

TEST_F(LandingProofTest, OfCommitsThatWereEmptyIsNone) {
  Commit("empty");
  OnBranch("main");
  CommitFile("c", "1\n");
  EXPECT_EQ(Prove(start_), LandingProof::kNothingToLand);
}

TEST_F(LandingProofTest, OfWorkThatTookItselfBackIsNone) {
  CommitFile("a", "1\n");
  repo_.Remove("a");
  Commit("back");
  OnBranch("main");
  CommitFile("c", "1\n");
  EXPECT_EQ(Prove(start_), LandingProof::kNotLanded);
}

}  // namespace
}  // namespace belay
