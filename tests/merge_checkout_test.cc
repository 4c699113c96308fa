// Checkouts of the target when it moves: they come along when nobody has work in them.

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

TEST_F(MergeCheckoutTest, ADirtyOneStaysAsItIsAndThatIsSaid) {
  AddBranch("a", {{"tracked.txt", "a\n"}});
  repo_.Write("tracked.txt", "mine\n");
  const RunOutcome outcome = ProcessAll();
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.err, HasSubstr(repo_.path() + " stays as it is, behind main"));
  EXPECT_EQ(repo_.Read("tracked.txt"), "mine\n");
  EXPECT_EQ(FileOf("tracked.txt"), "a\n");
}

TEST_F(MergeCheckoutTest, ADirtyOneFollowsOnceItIsClean) {
  AddBranch("a", {{"a", "1\n"}});
  AddBranch("b", {{"b", "1\n"}});
  repo_.Write("tracked.txt", "mine\n");
  EXPECT_THAT(Queue({"process"}).err, HasSubstr("A commit there would undo what has landed"));
  EXPECT_THAT(Belay({"signal", "list", "person"}).out, HasSubstr("ESCALATE"));
  EXPECT_THAT(Queue({"process"}).err, HasSubstr("is still behind main"));
  EXPECT_EQ(repo_.Read("tracked.txt"), "mine\n");
  repo_.Write("tracked.txt", "first\n");
  Land();
  EXPECT_EQ(MainChanges(), "");
  EXPECT_EQ(repo_.Read("a") + repo_.Read("b"), "1\n1\n");
}

TEST_F(MergeCheckoutTest, ADirtyOneCanBeBroughtAlongAsTheNoticeSays) {
  AddBranch("a", {{"a", "1\n"}});
  AddBranch("b", {{"b", "1\n"}});
  repo_.Write("tracked.txt", "mine\n");
  const std::string said = Queue({"process"}).err;
  const std::size_t start = said.find("git -C ");
  Script(said.substr(start, said.find(',', start) - start));
  EXPECT_EQ(MainChanges(), " M tracked.txt\n");
  EXPECT_EQ(repo_.Read("a"), "1\n");
  repo_.Write("tracked.txt", "first\n");
  Land();
  EXPECT_EQ(MainChanges(), "");
  EXPECT_EQ(repo_.Read("b"), "1\n");
}

TEST_F(MergeCheckoutTest, OneWhoseFolderIsLostIsPassedOver) {
  repo_.Git({"checkout", "-q", "--detach"});
  repo_.Git({"worktree", "add", "-q", "--lock", linked_, "main"});
  std::filesystem::remove_all(linked_);
  repo_.Git({"branch", "a"});
  Script("git checkout -q a; echo a > tracked.txt; git commit -qam a; git checkout -q -d a~");
  Add("a");
  Land();
  EXPECT_FALSE(*Entry("m1").Find("follow_pending")->AsBool());
}

TEST_F(MergeCheckoutTest, AnUntrackedFileInTheWayIsNotOverwritten) {
  AddBranch("a", {{"new", "a\n"}});
  repo_.Write("new", "mine\n");
  EXPECT_THAT(ProcessAll().err, HasSubstr("stays as it is"));
  EXPECT_EQ(repo_.Read("new"), "mine\n");
  EXPECT_EQ(FileOf("new"), "a\n");
}

TEST_F(MergeCheckoutTest, OneThatGitIsAtWorkInFollowsTheNextTime) {
  AddBranch("a", {{"tracked.txt", "a\n"}});
  AddBranch("b", {{"b", "1\n"}});
  repo_.Write(".git/index.lock", "");
  const RunOutcome outcome = ProcessAll();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;  // nobody's landing waits for it
  EXPECT_THAT(outcome.err, HasSubstr("until the queue is processed again"));
  EXPECT_TRUE(*Entry("m1").Find("follow_pending")->AsBool());
  repo_.Remove(".git/index.lock");
  Land();
  EXPECT_EQ(repo_.Read("tracked.txt") + repo_.Read("b"), "a\n1\n");
  EXPECT_EQ(MainChanges(), "");
  EXPECT_FALSE(*Entry("m1").Find("follow_pending")->AsBool());
  EXPECT_FALSE(*Entry("m2").Find("follow_pending")->AsBool());
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
  EXPECT_EQ(repo_.Read("tracked.txt"), "first\n");  // nobody's checkout of main
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
