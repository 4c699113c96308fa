// Branches that have nothing to land, or can't be landed.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adapters/git/replay.h"
#include "adapters/git/test_replay.h"

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
    EXPECT_EQ(replay.landing, LandingProof::kNoChange);
  }
}

TEST_F(ReplayEndsTest, OfWhatChangesNothingIsEmpty) {
  OnBranch("work");
  CommitFile("a", "1\n");
  repo_.Remove("a");
  Commit("back");
  for (const auto strategy :
       {LandingStrategy::kRebase, LandingStrategy::kSquash, LandingStrategy::kMerge}) {
    EXPECT_EQ(Land(strategy).end, Replay::End::kEmpty);
  }
  OnBranch("main");
  CommitFile("b", "1\n");
  EXPECT_EQ(Land().end, Replay::End::kEmpty);
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

TEST_F(ReplayEndsTest, SaysThatACloneIsShallow) {
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
