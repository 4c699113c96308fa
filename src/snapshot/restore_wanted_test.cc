#include "snapshot/restore_wanted.h"

#include <gtest/gtest.h>

#include "snapshot/test_place.h"

namespace belay {
namespace {

TEST(IsInsideWorktreeTest, KnowsWhereNothingMayBeWritten) {
  for (const char* path : {"a", "a/b", ".gitignore", "a/.github/b", "...", ".git2", "git"}) {
    EXPECT_TRUE(IsInsideWorktree(path)) << path;
  }
  for (const char* path : {"", "/a", "a/", "a//b", ".", "..", "a/../b", "a/..", "./a", ".git",
                           ".git/config", "a/.git", "a/.GIT/b", ".gIt"}) {
    EXPECT_FALSE(IsInsideWorktree(path)) << path;
  }
}

class WantedTest : public ::testing::Test {
 protected:
  WantedTest() : place_(repository_.path()) {}

  Result<Wanted> Read(const SavedSnapshot& snapshot) {
    return ReadWanted(place_.git(), snapshot, snapshot.base);
  }

  GitRepository repository_;
  TestPlace place_;
};

TEST_F(WantedTest, DistinguishesTheFileFromItsIndexEntry) {
  repository_.Write("tracked.txt", "staged\n");
  repository_.Git({"add", "tracked.txt"});
  repository_.Write("tracked.txt", "changed\n");
  repository_.Write("new", "untracked\n");
  const Result<Wanted> wanted = Read(place_.Take()->snapshot);
  ASSERT_TRUE(wanted.ok()) << wanted.error().message;
  ASSERT_EQ(wanted->paths.size(), 2U);
  const WantedPath& tracked = wanted->paths.at("tracked.txt");
  EXPECT_EQ(tracked.base.id.text(), BlobIdOf(ObjectFormat::kSha1, "first\n"));
  EXPECT_EQ(tracked.index.entry.id.text(), BlobIdOf(ObjectFormat::kSha1, "staged\n"));
  EXPECT_EQ(tracked.target.id.text(), BlobIdOf(ObjectFormat::kSha1, "changed\n"));
  const WantedPath& untracked = wanted->paths.at("new");
  EXPECT_FALSE(untracked.base.IsThere());
  EXPECT_FALSE(untracked.index.IsThere());
  EXPECT_EQ(untracked.target.id.text(), BlobIdOf(ObjectFormat::kSha1, "untracked\n"));
}

TEST_F(WantedTest, KnowsTheBaseOfAnUnmergedFileThatLooksUnchanged) {
  repository_.Git({"checkout", "-q", "-b", "other"});
  repository_.Write("tracked.txt", "theirs\n");
  repository_.CommitAll("theirs");
  repository_.Git({"checkout", "-q", "main"});
  repository_.Write("tracked.txt", "ours\n");
  repository_.CommitAll("ours");
  ASSERT_NE(repository_.TryGit({"merge", "-q", "other"}), 0);
  repository_.Write("tracked.txt", "ours\n");
  const Result<Wanted> wanted = Read(place_.Take()->snapshot);
  ASSERT_TRUE(wanted.ok()) << wanted.error().message;
  const WantedPath& path = wanted->paths.at("tracked.txt");
  EXPECT_EQ(path.base.id.text(), BlobIdOf(ObjectFormat::kSha1, "ours\n"));
  EXPECT_EQ(path.target, path.base);
  EXPECT_FALSE(path.index.entry.IsThere());
  EXPECT_EQ(path.index.stages[2].id.text(), BlobIdOf(ObjectFormat::kSha1, "theirs\n"));
}

TEST_F(WantedTest, WantsThePermissionsOfAFileThatIsOnlyUntracked) {
  repository_.Git({"rm", "-q", "--cached", "tracked.txt"});
  for (const unsigned mode : {0644U, 0600U}) {
    repository_.SetMode("tracked.txt", mode);
    const Result<Wanted> wanted = Read(place_.Take()->snapshot);
    ASSERT_TRUE(wanted.ok()) << wanted.error().message;
    EXPECT_EQ(wanted->paths.at("tracked.txt").raw, mode == 0600U);
  }
}

TEST_F(WantedTest, RefusesWhatIsNotReadable) {
  SavedSnapshot snapshot = place_.Take()->snapshot;
  snapshot.readable = false;
  EXPECT_EQ(Read(snapshot).error().code, ErrorCode::kDamaged);
}

}  // namespace
}  // namespace belay
