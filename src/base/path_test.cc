#include "base/path.h"

#include <gtest/gtest.h>

namespace belay {
namespace {

TEST(PathTest, JoinsWithOneSlash) {
  EXPECT_EQ(JoinPath("a", "b/c"), "a/b/c");
  EXPECT_EQ(JoinPath("/", "b"), "/b");
  EXPECT_EQ(JoinPath("", "b"), "b");
  EXPECT_EQ(JoinPath("a", "/b"), "/b");
}

TEST(PathTest, TakesPathsApart) {
  EXPECT_EQ(ParentPath("a/b"), "a");
  EXPECT_EQ(ParentPath("b"), ".");
  EXPECT_EQ(ParentPath("/b"), "/");
  EXPECT_EQ(FileName("a/b"), "b");
  EXPECT_EQ(FileName("b"), "b");
}

TEST(PathTest, ShortensOnlyWhatLiesInside) {
  EXPECT_EQ(RelativeTo("/p", "/p/a/b"), "a/b");
  EXPECT_EQ(RelativeTo("/p", "/pq/a"), "/pq/a");
  EXPECT_EQ(RelativeTo("/p", "/p"), "/p");
  EXPECT_EQ(RelativeTo("/", "/a"), "a");
}

}  // namespace
}  // namespace belay
