// Branches that have nothing to land, or can't be landed.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adapters/git/replay.h"
#include "adapters/git/test_git.h"

namespace belay {
namespace {

using ::testing::HasSubstr;

using ReplayEndsTest = ReplayTest;

TEST_F(ReplayEndsTest, OfWhatTheTargetHasIsContained) {
  OnBranch("work");
  const ObjectId start = Resolve("work");
  EXPECT_EQ(Land(LandingStrategy::kRebase, start).end, Replay::End::kEmpty);
  CommitFile("a", "1\n");
  OnBranch("main");
  repo_.Git({"merge", "-q", "--ff-only", "work"});
  CommitFile("b", "1\n");
  const Replay replay = Land(LandingStrategy::kRebase, start);
  EXPECT_EQ(replay.end, Replay::End::kContained);
  EXPECT_EQ(replay.landing, LandingProof::kAncestry);
}

TEST_F(ReplayEndsTest, OfWhatWasSquashedIsContained) {
  Diverge();
  repo_.Git({"merge", "-q", "--squash", "work"});
  Commit("squashed");
  CommitFile("d", "4\n");
  for (const auto strategy :
       {LandingStrategy::kRebase, LandingStrategy::kSquash, LandingStrategy::kMerge}) {
    const Replay replay = Land(strategy);
    EXPECT_EQ(replay.end, Replay::End::kContained);
    EXPECT_EQ(replay.landing, LandingProof::kSquash);
  }
}

// The target got the same files in another way: nothing to land, and no proof that it landed.
TEST_F(ReplayEndsTest, OfWhatTheTargetHasByOtherCommitsIsEmpty) {
  Diverge();
  repo_.Write("a", "1\n");
  repo_.Write("other", "1\n");
  Commit("a and more");
  repo_.Write("b", "2\n");
  repo_.Write("another", "1\n");
  Commit("b and more");
  for (const auto strategy :
       {LandingStrategy::kRebase, LandingStrategy::kSquash, LandingStrategy::kMerge}) {
    const Replay replay = Land(strategy);
    EXPECT_EQ(replay.end, Replay::End::kEmpty);
    EXPECT_EQ(replay.landing, LandingProof::kNoChange);
  }
}

TEST_F(ReplayEndsTest, CommitsThatCancelOutLandUnderRebaseOnly) {
  OnBranch("work");
  CommitFile("a", "1\n");
  repo_.Remove("a");
  Commit("back");
  EXPECT_EQ(Land().candidate, Resolve("work"));
  EXPECT_EQ(Land(LandingStrategy::kSquash).end, Replay::End::kEmpty);
  EXPECT_EQ(Land(LandingStrategy::kMerge).end, Replay::End::kEmpty);
  OnBranch("main");
  CommitFile("b", "1\n");
  const Replay replay = Land();
  ASSERT_EQ(replay.end, Replay::End::kBuilt);
  EXPECT_EQ(Log(replay.candidate, "%s"), "back\nwrite a\n");
  EXPECT_EQ(Land(LandingStrategy::kSquash).end, Replay::End::kEmpty);
  EXPECT_EQ(Land(LandingStrategy::kMerge).end, Replay::End::kEmpty);
}

TEST_F(ReplayEndsTest, OfCommitsThatWereEmptyFromTheStartIsEmpty) {
  OnBranch("work");
  Commit("empty");
  for (const auto strategy :
       {LandingStrategy::kRebase, LandingStrategy::kSquash, LandingStrategy::kMerge}) {
    EXPECT_EQ(Land(strategy).end, Replay::End::kEmpty);
  }
  OnBranch("main");
  CommitFile("b", "1\n");
  EXPECT_EQ(Land().end, Replay::End::kEmpty);
}

// main has reverted a commit; so has the branch, which then applied it again.
class ReapplyTest : public ReplayEndsTest {
 protected:
  ReapplyTest() {
    x_ = CommitFile("x", "1\n");
    OnBranch("work");
    Revert(x_);
    again_ = Revert(Resolve("work"));
    OnBranch("main");
    Revert(x_);
  }
  // Each on another day, so that they are different commits.
  ObjectId Revert(const ObjectId& commit) {
    repo_.Git({"revert", "--no-edit", commit.text()});
    const std::string date = "2020-01-0" + std::to_string(++reverts_) + "T00:00:00Z";
    repo_.Git({"commit", "-q", "--amend", "--no-edit", "--date=" + date});
    return Resolve("HEAD");
  }

  int reverts_ = 0;
  ObjectId x_;
  ObjectId again_;  // the branch's second commit
};

TEST_F(ReapplyTest, OfWhatMainRevertedLands) {
  const Replay replay = Land();
  ASSERT_EQ(replay.end, Replay::End::kBuilt);
  EXPECT_TRUE(replay.commits[0].now.IsNone());
  EXPECT_EQ(replay.commits[1], (ReplayedCommit{again_, replay.candidate}));
  EXPECT_EQ(FileIn(replay.candidate, "x"), "1\n");
}

TEST_F(ReapplyTest, IsNothingToLandUnderSquashAndMergeAndNeverContained) {
  for (const auto strategy : {LandingStrategy::kSquash, LandingStrategy::kMerge}) {
    EXPECT_EQ(Land(strategy).end, Replay::End::kEmpty);
  }
}

// As a whole the branch would change nothing; its other work is in main as the same patch.
TEST_F(ReapplyTest, IsNeverContainedBecauseTheRestOfTheBranchIs) {
  OnBranch("work");
  const ObjectId more = CommitFile("more", "something else\n");
  OnBranch("main");
  repo_.Git({"cherry-pick", more.text()});
  ASSERT_EQ(Land().end, Replay::End::kBuilt);
  EXPECT_EQ(FileIn(Land().candidate, "x"), "1\n");
  for (const auto strategy : {LandingStrategy::kSquash, LandingStrategy::kMerge}) {
    EXPECT_EQ(Land(strategy).end, Replay::End::kEmpty);
  }
}

// For each commit of the branch, main has one with the same patch, but main reverted last.
TEST_F(ReapplyTest, IsNeverContainedWhenMainHadTheSamePatchAndTookItBack) {
  OnBranch("work");
  const ObjectId more = CommitFile("more", "something else\n");
  OnBranch("main");
  repo_.Git({"cherry-pick", more.text(), again_.text()});
  Revert(Resolve("main"));
  ASSERT_EQ(Land().end, Replay::End::kBuilt);
  EXPECT_EQ(FileIn(Land().candidate, "x"), "1\n");
  for (const auto strategy : {LandingStrategy::kSquash, LandingStrategy::kMerge}) {
    EXPECT_EQ(Land(strategy).end, Replay::End::kEmpty);
  }
}

TEST_F(ReapplyTest, IsContainedOnceMainHasAppliedItAgainToo) {
  repo_.Git({"cherry-pick", again_.text()});
  // The branch's revert is a patch that main has, but main reverted that too.
  const Replay replay = Land();
  ASSERT_EQ(replay.end, Replay::End::kBuilt);
  EXPECT_EQ(Log(replay.candidate, "%s").substr(0, 14), "Revert \"Revert");
}

TEST_F(ReplayEndsTest, RefusesWhatItCantLand) {
  const auto code = [&](const ObjectId& head) {
    const auto replay = TryReplay({.head = head, .branch = "work"});
    EXPECT_FALSE(replay);
    return replay.error().code;
  };
  EXPECT_EQ(code(*ObjectId::Parse(std::string(40, 'a'))), ErrorCode::kNotFound);
  EXPECT_EQ(code(Resolve("HEAD^{tree}")), ErrorCode::kRefused);
  OnBranch("side");
  CommitFile("a", "1\n");
  repo_.Git({"tag", "-a", "-m", "t", "t"});
  EXPECT_EQ(code(Resolve("t")), ErrorCode::kRefused);
  repo_.Git({"checkout", "-q", "--orphan", "work"});
  Commit("root");
  EXPECT_EQ(code(Resolve("work")), ErrorCode::kRefused);
}

TEST_F(ReplayEndsTest, ReportsAShallowClone) {
  Diverge();
  const std::string folder = repo_.outside() / "shallow";
  repo_.Git({"clone", "-q", "--depth=1", "--no-single-branch", "file://" + repo_.path(), folder});
  const Git git = git_.In(folder);
  auto room =
      MergeRoom::Open(git, files_, {folder + "/.git", repo_.outside() / "room"}, Resolve("main"));
  ASSERT_TRUE(room);
  const auto replay = ReplayBranch(*room, {.head = Resolve("work"), .branch = "work"});
  ASSERT_FALSE(replay);
  EXPECT_THAT(replay.error().message, HasSubstr("shallow"));
}

}  // namespace
}  // namespace belay
