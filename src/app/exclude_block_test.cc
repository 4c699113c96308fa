#include <gtest/gtest.h>

#include "app/project_setup.h"

namespace belay {
namespace {

const std::vector<std::string> kPatterns = {"/a/", "/b/"};
constexpr std::string_view kBlock =
    "# belay: begin (belay init --remove takes this block out)\n/a/\n/b/\n# belay: end\n";

TEST(ExcludeBlockTest, GoesToTheEndAndComesOutWithoutATrace) {
  for (const std::string_view text : {"", "*.o\n", "# git's comment\n\n*.o\n", "*.o\r\n"}) {
    const auto with = WithExcludeBlock(text, kPatterns);
    EXPECT_EQ(*with, std::string(text) + std::string(kBlock));
    EXPECT_EQ(*WithoutExcludeBlock(*with, kPatterns), text);
  }
}

TEST(ExcludeBlockTest, EndsALineThatHadNoEndAndUndoesThat) {
  const std::string with = *WithExcludeBlock("*.o", kPatterns);
  EXPECT_TRUE(with.starts_with("*.o\n# belay: begin")) << with;
  EXPECT_EQ(*WithExcludeBlock(with, kPatterns), with);
  EXPECT_EQ(*WithoutExcludeBlock(with, kPatterns), "*.o");
  // What was added behind the block keeps its line.
  EXPECT_EQ(*WithoutExcludeBlock(with + "*.a\n", kPatterns), "*.o\n*.a\n");
}

TEST(ExcludeBlockTest, IsWrittenOnceAndBroughtUpToDateInPlace) {
  const std::string text = "x\n" + std::string(kBlock) + "y\n";
  EXPECT_EQ(*WithExcludeBlock(text, kPatterns), text);
  EXPECT_EQ(*WithExcludeBlock("x\n# belay: begin\n/b/\n# belay: end\ny\n", kPatterns), text);
}

TEST(ExcludeBlockTest, KeepsLinesThatUsersAddedToTheBlock) {
  const std::string text = "x\n# belay: begin\n/a/\n/mine/\n/b/\n# belay: end\ny\n";
  EXPECT_EQ(*WithExcludeBlock(text, kPatterns), "x\n" + std::string(kBlock) + "/mine/\ny\n");
  EXPECT_EQ(*WithoutExcludeBlock(text, kPatterns), "x\n/mine/\ny\n");
}

TEST(ExcludeBlockTest, RefusesABlockItCannotBeSureOf) {
  for (const std::string_view text :
       {"# belay: begin\n/a/\n", "# belay: end\n", "# belay: end\n# belay: begin\n",
        "# belay: begin\n# belay: begin\n# belay: end\n",
        "# belay: begin\n# belay: end\n# belay: end\n"}) {
    EXPECT_EQ(WithExcludeBlock(text, kPatterns).error().code, ErrorCode::kDamaged) << text;
    EXPECT_EQ(WithoutExcludeBlock(text, kPatterns).error().code, ErrorCode::kDamaged) << text;
  }
}

TEST(ExcludeBlockTest, LeavesLookAlikesInsideLinesAlone) {
  EXPECT_EQ(*WithoutExcludeBlock("x # belay: begin\n", kPatterns), "x # belay: begin\n");
}

}  // namespace
}  // namespace belay
