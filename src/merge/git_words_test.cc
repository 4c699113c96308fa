#include <gtest/gtest.h>

#include <vector>

#include "merge/ref_policy.h"

namespace belay {
namespace {

std::string Line(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += word + '\0';
  return line;
}

TEST(GitWordsTest, FindsTheSubcommandBehindTheOptions) {
  EXPECT_EQ(GitSubcommand(Line({"git", "merge", "login"})), "merge");
  EXPECT_EQ(GitSubcommand(Line({"/usr/bin/git", "-C", "reset", "--no-pager", "commit"})), "commit");
  EXPECT_EQ(GitSubcommand(Line({"git", "-c", "a=b", "--git-dir=x", "pull"})), "pull");
  EXPECT_EQ(GitSubcommand(Line({"git", "commit", "-m", "merge"})), "commit");
  EXPECT_EQ(GitSubcommand(Line({"/usr/lib/git-core/git-receive-pack", "x"})), "receive-pack");
  EXPECT_EQ(GitSubcommand(Line({"git", "-C"})), "");
  EXPECT_EQ(GitSubcommand(Line({"git"})), "");
  EXPECT_EQ(GitSubcommand(""), "");
}

TEST(GitWordsTest, RecognisesARebaseWithoutManualChanges) {
  EXPECT_TRUE(IsWholeRebase(Line({"git", "rebase", "--onto", "a", "b"})));
  EXPECT_FALSE(IsWholeRebase(Line({"git", "rebase", "--continue"})));
  EXPECT_FALSE(IsWholeRebase(Line({"git", "rebase", "-i", "a"})));
  EXPECT_FALSE(IsWholeRebase(Line({"git", "merge", "rebase"})));
}

TEST(GitWordsTest, KnowsWhatABranchIsRenamedTo) {
  EXPECT_EQ(RenamedTo(Line({"git", "branch", "-M", "login", "main"})), "main");
  EXPECT_EQ(RenamedTo(Line({"git", "branch", "-f", "--move", "main"})), "main");
  EXPECT_EQ(RenamedTo(Line({"git", "branch", "-fm", "login", "main"})), "main");
  EXPECT_EQ(RenamedTo(Line({"git", "branch", "-D", "main"})), "");
  EXPECT_EQ(RenamedTo(Line({"git", "tag", "-m", "main"})), "");
  EXPECT_EQ(RenamedTo(""), "");
}

}  // namespace
}  // namespace belay
