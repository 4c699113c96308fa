// Trouble with one entry, or after it has landed: no other entry waits for it.

#include "merge_sandbox.h"

namespace belay {
namespace {

using ::testing::HasSubstr;

class MergeTroubleTest : public MergeSandbox {
 protected:
  // A commit that adds one object under a name, as it could not be made by `git add`.
  void AddTree(const std::string& branch, const std::string& mode, const std::string& type,
               const std::string& id, const std::string& name) {
    Script("tree=$( (git ls-tree main; printf '" + mode + " " + type + " " + id + "\\t" + name +
           "\\n') | git mktree --missing)\ngit branch " + branch +
           " $(git commit-tree -p main -m odd $tree)");
  }
  void ExpectParkedAndOthersLand(const std::string& says) {
    AddBranch("other", {{"other", "1\n"}});
    const RunOutcome outcome = ProcessAll();
    EXPECT_EQ(outcome.exit_code, 1) << outcome.err;
    EXPECT_EQ(Status("m1"), "gate_unrunnable");
    EXPECT_THAT(ErrorOf("m1"), HasSubstr(says));
    EXPECT_EQ(Status("m2"), "merged");
  }
};

TEST_F(MergeTroubleTest, WorkWithAFileThatIsMissingIsParked) {
  Branch("bad", {{{"x", "gone\n"}}});
  Add("bad");
  const std::string blob = Commit("bad:x");
  repo_.Remove(".git/objects/" + blob.substr(0, 2) + "/" + blob.substr(2));
  ExpectParkedAndOthersLand("objects of bad at " + Commit("bad").substr(0, 10) + " are lost");
}

TEST_F(MergeTroubleTest, WorkWithANameThatNoDiskTakesIsParked) {
  AddTree("bad", "100644", "blob", Commit("main:tracked.txt"), std::string(300, 'n'));
  Add("bad");
  ExpectParkedAndOthersLand("it can't be checked out");
}

TEST_F(MergeTroubleTest, WorkWithANameThatGitForbidsIsParked) {
  AddTree("bad", "040000", "tree", Commit("main^{tree}"), ".GIT");
  Add("bad");
  ExpectParkedAndOthersLand("it can't be checked out");
}

TEST_F(MergeTroubleTest, WorkWithoutItsHistoryIsParked) {
  Script("git branch bad $(git commit-tree -p main -m one main^{tree})");
  Script(
      "git update-ref refs/heads/bad $(git commit-tree -p bad -m two $(git rev-parse "
      "main^{tree}))");
  MoreOn("bad", {{"x", "1\n"}});
  Add("bad");
  const std::string lost = Commit("bad~2");
  repo_.Remove(".git/objects/" + lost.substr(0, 2) + "/" + lost.substr(2));
  AddBranch("other", {{"other", "1\n"}});
  EXPECT_EQ(ProcessAll().exit_code, 1);
  EXPECT_EQ(Status("m1"), "gate_unrunnable");
  EXPECT_THAT(ErrorOf("m1"), HasSubstr("objects of bad at"));
  EXPECT_EQ(Status("m2"), "merged");
}

TEST_F(MergeTroubleTest, ABranchThatCantBeDeletedBlocksNoEntry) {
  AddBranch("a", {{"a", "1\n"}});
  AddBranch("b", {{"b", "1\n"}});
  repo_.Write(".git/refs/heads/a.lock", "");
  const RunOutcome outcome = ProcessAll();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("could not delete a"));
  EXPECT_EQ(Status("m2"), "merged");
  EXPECT_TRUE(HasBranch("a"));
  repo_.Remove(".git/refs/heads/a.lock");
  Land();
  EXPECT_FALSE(HasBranch("a"));
  ExpectTidy();
}

TEST_F(MergeTroubleTest, ALockThatAKilledGitLeftOnARefOfOursGoes) {
  AddBranch("a", {{"a", "1\n"}});
  repo_.Write(".git/refs/belay/merge/m1/candidate.lock", "");
  Script("touch -d '1 minute ago' .git/refs/belay/merge/m1/candidate.lock");
  Land();
  ExpectTidy();
}

TEST_F(MergeTroubleTest, ABranchThatWorkLandsOnIsNeverDeleted) {
  repo_.Git({"branch", "dev"});
  Branch("f1", {{{"f1", "1\n"}}});
  Branch("f2", {{{"f2", "1\n"}}});
  Add("f1", {"--target", "dev"});
  EXPECT_EQ(Queue({"process", "--target", "dev"}).exit_code, 0);
  Add("f2", {"--target", "dev"});
  Add("dev");
  EXPECT_EQ(Queue({"process"}).exit_code, 0);
  EXPECT_TRUE(HasBranch("dev"));
  EXPECT_EQ(Queue({"process", "--target", "dev"}).exit_code, 0);
  EXPECT_EQ(FileOf("f2", "dev"), "1\n");
}

TEST_F(MergeTroubleTest, TheTargetOfTheSettingsIsNeverDeleted) {
  repo_.Git({"branch", "rel"});
  MoreOn("main", {{"more", "1\n"}});
  repo_.Git({"checkout", "-q", "--detach"});
  Add("main", {"--target", "rel"});
  EXPECT_EQ(Queue({"process", "--target", "rel"}).exit_code, 0);
  EXPECT_TRUE(HasBranch("main"));
  EXPECT_EQ(FileOf("more", "rel"), "1\n");
}

TEST_F(MergeTroubleTest, ABranchForTwoTargetsLandsOnBoth) {
  repo_.Git({"branch", "rel"});
  Branch("a", {{{"a", "1\n"}}});
  Add("a");
  Add("a", {"--target", "rel"});
  Land();
  EXPECT_TRUE(HasBranch("a"));
  EXPECT_EQ(Queue({"process", "--target", "rel"}).exit_code, 0);
  EXPECT_EQ(FileOf("a") + FileOf("a", "rel"), "1\n1\n");
  EXPECT_FALSE(HasBranch("a"));
}

TEST_F(MergeTroubleTest, AnInboxThatCantBeWrittenBlocksNoEntry) {
  AddBranch("a", {{"a", "1\n"}});
  AddBranch("b", {{"b", "1\n"}});
  Script("mkdir -p .git/belay/signals; touch .git/belay/signals/guardian");
  const RunOutcome outcome = ProcessAll();
  EXPECT_EQ(Status("m1") + Status("m2"), "mergedmerged") << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("signals/guardian"));
  Script("rm .git/belay/signals/guardian");
  Land();
  EXPECT_NE(Script("ls .git/belay/signals/guardian"), "");
}

}  // namespace
}  // namespace belay
