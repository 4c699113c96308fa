#include "os/unlock_tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "testing/temp_folder.h"

namespace belay {
namespace {

class UnlockTreeTest : public ::testing::Test {
 protected:
  unsigned ModeOf(const std::string& name) const {
    struct stat info {};
    EXPECT_EQ(lstat((folder_ / name).c_str(), &info), 0);
    return info.st_mode & 07777U;
  }
  void SetMode(const std::string& name, unsigned mode) const {
    EXPECT_EQ(chmod((folder_ / name).c_str(), mode), 0);
  }

  TempFolder folder_;
};

TEST_F(UnlockTreeTest, GivesRightsBackAtEveryDepth) {
  folder_.Write("a/b/c/file", "x");
  SetMode("a/b/c/file", 0400);
  SetMode("a/b/c", 0000);
  SetMode("a/b", 0555);
  SetMode("a", 0111);
  EXPECT_TRUE(UnlockTree(folder_ / "a").ok());
  EXPECT_EQ(ModeOf("a"), 0711u);
  EXPECT_EQ(ModeOf("a/b"), 0755u);
  EXPECT_EQ(ModeOf("a/b/c"), 0700u);
  EXPECT_EQ(ModeOf("a/b/c/file"), 0400u);
}

TEST_F(UnlockTreeTest, DoesntFollowLinks) {
  folder_.MakeFolder("elsewhere");
  SetMode("elsewhere", 0555);
  folder_.MakeFolder("a");
  ASSERT_EQ(symlink("../elsewhere", (folder_ / "a/link").c_str()), 0);
  ASSERT_EQ(symlink("elsewhere", (folder_ / "top").c_str()), 0);
  EXPECT_TRUE(UnlockTree(folder_ / "a").ok());
  EXPECT_TRUE(UnlockTree(folder_ / "top").ok());
  EXPECT_EQ(ModeOf("elsewhere"), 0555u);
}

TEST_F(UnlockTreeTest, ReportsWhatIsThere) {
  folder_.Write("a/z", "x");
  folder_.Write("a/b/c", "x");
  folder_.MakeFolder("a/empty/deep");
  ASSERT_EQ(symlink("b", (folder_ / "a/link").c_str()), 0);
  const auto paths = UnlockTree(folder_ / "a");
  ASSERT_TRUE(paths);
  EXPECT_THAT(*paths, ::testing::ElementsAre("b/c", "empty/deep/", "link", "z"));
}

TEST_F(UnlockTreeTest, OfNothingIsNothing) {
  const auto paths = UnlockTree(folder_ / "none");
  ASSERT_TRUE(paths);
  EXPECT_THAT(*paths, ::testing::IsEmpty());
}

}  // namespace
}  // namespace belay
