// Checkouts of the target when it moves, without a person's changes in them. merge_dirty_test.cc
// has the others.

#include "merge_sandbox.h"

namespace belay {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class MergeCheckoutTest : public MergeSandbox {
 protected:
  std::string InLinked(const std::string& script) {
    return RunReal({"sh", "-ec", script},
                   {.folder = linked_, .environment = GitRepository::Environment()})
        .out;
  }

  const std::string linked_ = repo_.outside() / "linked";
};

TEST_F(MergeCheckoutTest, ACleanOneFollowsWithWhatItHasBeside) {
  Branch("a", {{{"tracked.txt", "a\n"}, {"new/file", "1\n"}}});
  repo_.Write("untracked", "mine");
  Add("a");
  Land();
  EXPECT_EQ(repo_.Read("tracked.txt"), "a\n");
  EXPECT_EQ(repo_.Read("new/file"), "1\n");
  EXPECT_EQ(MainChanges(), "?? untracked\n");
}

TEST_F(MergeCheckoutTest, ACheckoutWithoutAFolderIsIgnored) {
  repo_.Git({"checkout", "-q", "--detach"});
  repo_.Git({"worktree", "add", "-q", "--lock", linked_, "main"});
  std::filesystem::remove_all(linked_);
  repo_.Git({"branch", "a"});
  Script("git checkout -q a; echo a > tracked.txt; git commit -qam a; git checkout -q -d a~");
  Add("a");
  Land();
  EXPECT_FALSE(*Entry("m1").Find("follow_pending")->AsBool());
}

TEST_F(MergeCheckoutTest, ALinkedWorktreeFollows) {
  repo_.Git({"checkout", "-q", "--detach"});
  repo_.Git({"worktree", "add", "-q", linked_, "main"});
  repo_.Git({"branch", "a"});
  Script(
      "git checkout -q a; echo a > tracked.txt; git commit -qam 'work on a'; git checkout -q -d "
      "a~");
  Add("a");
  Land();
  EXPECT_EQ(InLinked("cat tracked.txt; git status --porcelain"), "a\n");
  EXPECT_EQ(repo_.Read("tracked.txt"), "first\n");  // no checkout of main
  EXPECT_EQ(MainChanges(), "");
}

TEST_F(MergeCheckoutTest, ATargetThatIsCheckedOutNowhereMovesAlone) {
  Branch("a", {{{"tracked.txt", "a\n"}}});
  repo_.Git({"checkout", "-q", "-b", "elsewhere"});
  Add("a");
  const RunOutcome outcome = ProcessAll();
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.err, Not(HasSubstr("stays")));
  EXPECT_EQ(FileOf("tracked.txt"), "a\n");
  EXPECT_EQ(repo_.Read("tracked.txt"), "first\n");
  EXPECT_EQ(MainChanges(), "");
}

TEST_F(MergeCheckoutTest, AnAgentsWorktreeIsOnlyRead) {
  repo_.Git({"worktree", "add", "-q", "-b", "a", linked_});
  InLinked("echo a > a; git add a; git commit -qm 'work on a'; echo b > a; echo c > c; git add c");
  const std::string before = InLinked("git status --porcelain=v2; cat a; git rev-parse HEAD");
  MoreOn("main", {{"more", "1\n"}});
  Add("a");
  const RunOutcome outcome = ProcessAll();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("a is checked out in " + linked_));
  EXPECT_EQ(InLinked("git status --porcelain=v2; cat a; git rev-parse HEAD"), before);
  EXPECT_EQ(FileOf("a"), "a\n");
}

TEST_F(MergeCheckoutTest, HooksOfTheRepositoryAreNotRun) {
  for (const std::string hook :
       {"post-checkout", "pre-commit", "post-merge", "post-index-change"}) {
    repo_.Write(".git/hooks/" + hook, "#!/bin/sh\ntouch " + (repo_.outside() / "ran") + "\n");
    repo_.SetMode(".git/hooks/" + hook, 0755);
  }
  Script(
      "git -c core.hooksPath=/dev/null checkout -q -b a; echo 1 > a; git add a;"
      "git -c core.hooksPath=/dev/null commit -qm a;"
      "git -c core.hooksPath=/dev/null checkout -q main; rm -f ../ran");
  Add("a");
  Land();
  EXPECT_EQ(repo_.outside().Read("ran"), "(missing)");
}

}  // namespace
}  // namespace belay
