#include "adapters/git/branch_uses.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adapters/git/test_git.h"

namespace belay {
namespace {

using ::testing::IsEmpty;
using std::string_literals::operator""s;

TEST(ParseWorktrees, ReadsEachOfThem) {
  const auto worktrees = ParseWorktrees(
      "worktree /a\nb\0HEAD "s + std::string(40, 'a') +
      "\0branch refs/heads/x\0\0worktree /c\0bare\0\0worktree /d\0detached\0prunable gone\0\0"s);
  ASSERT_TRUE(worktrees) << worktrees.error().message;
  ASSERT_EQ(worktrees->size(), 3u);
  EXPECT_EQ((*worktrees)[0].folder, "/a\nb");
  EXPECT_EQ((*worktrees)[0].branch, "refs/heads/x");
  EXPECT_TRUE((*worktrees)[0].is_main);
  EXPECT_TRUE((*worktrees)[1].is_bare);
  EXPECT_TRUE((*worktrees)[2].is_prunable);
  EXPECT_FALSE(ParseWorktrees("worktree /a\0"s));
  EXPECT_FALSE(ParseWorktrees("bare\0\0"s));
}

class BranchUsesTest : public MergeTest {
 protected:
  std::vector<BranchUse> Uses(const std::string& branch) {
    return FindBranchUses(files_, *ListWorktrees(git_, files_, CommonFolder()),
                          "refs/heads/" + branch);
  }
  // Whether git itself would delete it.
  bool GitWouldDelete(const std::string& branch) const {
    const std::string id = Resolve(branch).text();
    const bool deleted = repo_.TryGit({"branch", "-D", branch}) == 0;
    if (deleted) repo_.Git({"branch", branch, id});
    return deleted;
  }
};

TEST_F(BranchUsesTest, FindsTheMainWorktreeAndLinkedOnes) {
  const std::string linked = repo_.outside() / "lin\nked";
  repo_.Git({"worktree", "add", "-q", "-b", "work", linked});
  ASSERT_EQ(Uses("main").size(), 1u);
  EXPECT_TRUE(Uses("main")[0].worktree.is_main);
  EXPECT_EQ(Uses("main")[0].worktree.git_folder, CommonFolder());
  ASSERT_EQ(Uses("work").size(), 1u);
  EXPECT_EQ(Uses("work")[0].worktree.folder, linked);
  EXPECT_THAT(Uses("work")[0].worktree.git_folder,
              ::testing::StartsWith(CommonFolder() + "/worktrees/"));
  EXPECT_EQ(Uses("work")[0].worktree.head, Resolve("work"));
  repo_.Git({"branch", "unused"});
  EXPECT_THAT(Uses("unused"), IsEmpty());
}

TEST_F(BranchUsesTest, ReportsAMissingFolder) {
  repo_.Git({"worktree", "add", "-q", "-b", "work", repo_.outside() / "linked"});
  repo_.Remove("../linked");
  ASSERT_EQ(Uses("work").size(), 1u);
  EXPECT_TRUE(Uses("work")[0].worktree.is_prunable);
}

TEST_F(BranchUsesTest, FindsARebaseThatIsUnderWay) {
  OnBranch("work");
  CommitFile("f", "1\n");
  OnBranch("main");
  CommitFile("f", "2\n");
  OnBranch("work");
  EXPECT_NE(repo_.TryGit({"rebase", "-q", "main"}), 0);
  ASSERT_EQ(Uses("work").size(), 1u);
  EXPECT_EQ(Uses("work")[0].kind, BranchUse::Kind::kRebased);
  EXPECT_FALSE(GitWouldDelete("work"));
  repo_.Git({"rebase", "--abort"});
  repo_.Git({"checkout", "-q", "main"});
  EXPECT_THAT(Uses("work"), IsEmpty());
  EXPECT_TRUE(GitWouldDelete("work"));
}

TEST_F(BranchUsesTest, FindsABisectionThatIsUnderWay) {
  const ObjectId good = Resolve("HEAD");
  for (const char* file : {"a", "b", "c", "d"}) CommitFile(file, "1\n");
  OnBranch("work");
  repo_.Git({"bisect", "start", "HEAD", good.text()});
  ASSERT_EQ(Uses("work").size(), 1u);
  EXPECT_EQ(Uses("work")[0].kind, BranchUse::Kind::kBisected);
  EXPECT_FALSE(GitWouldDelete("work"));
}

TEST_F(BranchUsesTest, OfABareRepositoryAreThoseOfItsWorktrees) {
  const std::string bare = repo_.outside() / "bare";
  repo_.Git({"clone", "-q", "--bare", repo_.path(), bare});
  const Git git = git_.In(bare);
  const auto uses = [&] {
    return FindBranchUses(files_, *ListWorktrees(git, files_, bare), "refs/heads/main");
  };
  EXPECT_THAT(uses(), IsEmpty());
  repo_.GitIn(bare, {"worktree", "add", "-q", repo_.outside() / "linked", "main"});
  EXPECT_EQ(uses().size(), 1u);
}

}  // namespace
}  // namespace belay
