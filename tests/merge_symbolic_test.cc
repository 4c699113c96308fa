// Branches that stand for others: what is done to them would be done to those.

#include "merge_sandbox.h"

namespace belay {
namespace {

using ::testing::HasSubstr;

class MergeSymbolicTest : public MergeSandbox {
 protected:
  void Alias(const std::string& name, const std::string& branch) {
    repo_.Git({"symbolic-ref", "refs/heads/" + name, "refs/heads/" + branch});
  }
};

TEST_F(MergeSymbolicTest, IsRefusedAsABranchAndAsATarget) {
  Branch("real", {{{"a", "1\n"}}});
  Alias("sym", "real");
  ExpectRefused({"add", "sym"}, 4, "sym is a symbolic ref to refs/heads/real", "not a branch");
  Alias("alias", "main");
  ExpectRefused({"add", "real", "--target", "alias"}, 4,
                "alias is a symbolic ref to refs/heads/main", "not a branch");
  EXPECT_EQ(ProcessAll().exit_code, 0);
  EXPECT_EQ(History(), "first\n");
}

TEST_F(MergeSymbolicTest, IsCancelledWhenTheBranchBecomesSo) {
  AddBranch("sym", {{"a", "1\n"}});
  AddBranch("next", {{"b", "1\n"}});
  repo_.Git({"branch", "-m", "sym", "real"});
  Alias("sym", "real");
  repo_.Git({"worktree", "add", "-q", repo_.outside() / "w", "real"});
  EXPECT_EQ(ProcessAll().exit_code, 1);
  EXPECT_EQ(Status("m1"), "cancelled");
  EXPECT_THAT(ErrorOf("m1"), HasSubstr("is now a symbolic ref to refs/heads/real"));
  EXPECT_TRUE(HasBranch("real"));
  EXPECT_EQ(History(), "first\nwork on next\n");
}

TEST_F(MergeSymbolicTest, IsKeptWhenTheBranchBecomesSoAfterItLanded) {
  Branch("sym", {{{"a", "1\n"}}});
  const std::string worktree = repo_.outside() / "w";
  repo_.Git({"worktree", "add", "-q", worktree, "sym"});
  Add("sym");
  Land();  // the branch is still checked out
  repo_.Git({"worktree", "remove", worktree});
  repo_.Git({"branch", "-m", "sym", "real"});
  Alias("sym", "real");
  EXPECT_EQ(ProcessAll().exit_code, 0);
  EXPECT_TRUE(HasBranch("real"));
  EXPECT_TRUE(HasBranch("sym"));
}

TEST_F(MergeSymbolicTest, IsNoTargetAnyMore) {
  AddBranch("a", {{"a", "1\n"}});
  Land();
  const std::string landed = Commit("main");
  AddBranch("b", {{"b", "1\n"}});
  repo_.Git({"branch", "other", landed});
  Alias("main", "other");
  ExpectRefused({"process"}, 4, "main has become a symbolic ref to refs/heads/other",
                "git update-ref --no-deref refs/heads/main " + landed);
  EXPECT_EQ(Commit("other"), landed);
  repo_.Git({"update-ref", "--no-deref", "refs/heads/main", landed});
  Land();
  EXPECT_EQ(Status("m2"), "merged");
  EXPECT_EQ(Commit("other"), landed);
}

}  // namespace
}  // namespace belay
