// What is built survives every prune and every gc, whenever they run.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "adapters/git/objects.h"
#include "adapters/git/test_git.h"

namespace belay {
namespace {

using ::testing::HasSubstr;

// Before and after each program, another process prunes everything that no ref holds.
class PruningPrograms final : public Programs {
 public:
  explicit PruningPrograms(const GitRepository& repository) : repository_(repository) {}

  Result<ProgramResult> Run(const ProgramRequest& request) override {
    Prune();
    Result<ProgramResult> result = real_.Run(request);
    Prune();
    return result;
  }

 private:
  void Prune() {
    if (++count_ % 8 == 0) {
      repository_.Git({"gc", "-q", "--prune=now"});
    } else {
      repository_.Git({"prune", "--expire=now"});
    }
  }

  const GitRepository& repository_;
  PosixPrograms real_;
  int count_ = 0;
};

class PublishTest : public ReplayTest {
 protected:
  PublishTest() { repo_.Git({"config", "gc.reflogExpire", "now"}); }

  bool IsWhole(const ObjectId& commit) const {
    return repo_.TryGit({"rev-list", "--objects", "--quiet", commit.text()}) == 0;
  }
  void Collect() const {
    repo_.Git({"prune", "--expire=now"});
    repo_.Git({"gc", "-q", "--prune=now"});
  }
  std::size_t Keeps() const {
    std::size_t count = 0;
    for (const auto& file : std::filesystem::directory_iterator(CommonFolder() + "/objects/pack")) {
      count += file.path().extension() == ".keep" ? 1 : 0;
    }
    return count;
  }
  Result<Replay> ReplayAmongPrunes(LandingStrategy strategy) {
    PruningPrograms programs(repo_);
    const Git git(programs, Environment(TestVariables()), repo_.path());
    auto room = MergeRoom::Open(git, files_, Place(), Resolve("main"));
    if (!room) return room.error();
    return ReplayBranch(*room, {.head = Resolve("work"), .branch = "work", .strategy = strategy});
  }
};

TEST_F(PublishTest, TheCandidateIsThereUntilItsPackIsReleased) {
  Diverge();
  for (const auto strategy :
       {LandingStrategy::kRebase, LandingStrategy::kSquash, LandingStrategy::kMerge}) {
    const Replay replay = Land(strategy);
    ASSERT_EQ(replay.end, Replay::End::kBuilt);
    Collect();
    EXPECT_TRUE(IsWhole(replay.candidate));
    EXPECT_EQ(Keeps(), 1u);
    ASSERT_TRUE(ReleasePack(files_, replay.keep_file).ok());
    EXPECT_EQ(Keeps(), 0u);
    Collect();
    EXPECT_FALSE(IsWhole(replay.candidate));
  }
}

TEST_F(PublishTest, ARefHoldsItAfterwards) {
  Diverge();
  const Replay replay = Land();
  repo_.Git({"update-ref", "refs/belay/merge/m1/candidate", replay.candidate.text()});
  ASSERT_TRUE(ReleasePack(files_, replay.keep_file).ok());
  repo_.Git({"branch", "-D", "-q", "work"});
  Collect();
  EXPECT_TRUE(IsWhole(replay.candidate));
}

TEST_F(PublishTest, PrunesBetweenAnyTwoCallsTakeNothing) {
  Diverge();
  OnBranch("work");
  CommitFile("tracked.txt", "first\n" + Lines(3));
  OnBranch("main");
  CommitFile("tracked.txt", Lines(3) + "first\n");
  for (const auto strategy :
       {LandingStrategy::kRebase, LandingStrategy::kSquash, LandingStrategy::kMerge}) {
    const auto replay = ReplayAmongPrunes(strategy);
    ASSERT_TRUE(replay) << replay.error().message;
    ASSERT_EQ(replay->end, Replay::End::kBuilt);
    EXPECT_TRUE(IsWhole(replay->candidate));
  }
}

// Git doesn't write an object that it finds, though no ref may hold that one: then a second try
// does.
TEST_F(PublishTest, UnreferencedObjectsAreBuiltUponAtMostOnce) {
  Diverge();
  const ObjectId first = Land().candidate;
  ASSERT_TRUE(ReleaseLeftPacks(files_, CommonFolder()).ok());
  repo_.Git({"repack", "-A", "-d", "-q"});  // loose now, and held by no ref
  ASSERT_TRUE(IsWhole(first));
  auto replay = ReplayAmongPrunes(LandingStrategy::kRebase);
  if (!replay) replay = ReplayAmongPrunes(LandingStrategy::kRebase);
  ASSERT_TRUE(replay) << replay.error().message;
  EXPECT_EQ(replay->candidate, first);
  EXPECT_TRUE(IsWhole(first));
}

TEST_F(PublishTest, WhatDoesntFitLeavesNothingInTheRepository) {
  CommitFile("f", Lines(9));
  OnBranch("work");
  CommitFile("f", Lines(4) + "theirs\n");
  OnBranch("main");
  CommitFile("f", Lines(4) + "ours\n");
  const std::string before = repo_.Git({"count-objects", "-v"});
  EXPECT_EQ(Land().end, Replay::End::kConflict);
  EXPECT_EQ(repo_.Git({"count-objects", "-v"}), before);
}

TEST_F(PublishTest, BuiltTwiceIsOnePack) {
  Diverge();
  const Replay first = Land();
  const Replay second = Land();
  EXPECT_EQ(first.keep_file, second.keep_file);
  EXPECT_EQ(Keeps(), 1u);
  ASSERT_TRUE(ReleaseLeftPacks(files_, CommonFolder()).ok());
  EXPECT_EQ(Keeps(), 0u);
}

TEST_F(PublishTest, OtherPeoplesKeepFilesStay) {
  Diverge();
  const Replay replay = Land();
  ASSERT_TRUE(ReleasePack(files_, replay.keep_file).ok());
  std::filesystem::path mine = replay.keep_file;
  repo_.Write(mine.lexically_relative(repo_.path()).string(), "mine\n");
  ASSERT_TRUE(ReleasePack(files_, replay.keep_file).ok());
  ASSERT_TRUE(ReleaseLeftPacks(files_, CommonFolder()).ok());
  EXPECT_EQ(Keeps(), 1u);
}

TEST_F(PublishTest, AMissingFileOfTheBranchIsNamed) {
  Diverge();
  const std::string blob = Resolve("work:a").text();
  repo_.Remove(".git/objects/" + blob.substr(0, 2) + "/" + blob.substr(2));
  for (const auto strategy :
       {LandingStrategy::kRebase, LandingStrategy::kSquash, LandingStrategy::kMerge}) {
    const auto replay =
        TryReplay({.head = Resolve("work"), .branch = "work", .strategy = strategy});
    ASSERT_FALSE(replay);
    EXPECT_THAT(replay.error().message, HasSubstr(blob));
  }
}

}  // namespace
}  // namespace belay
