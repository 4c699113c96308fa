// Branches and targets that don't stand still while they are in the queue.

#include "merge_sandbox.h"
#include "testing/places.h"

namespace belay {
namespace {

using ::testing::HasSubstr;

class MergeMovesTest : public MergeSandbox {
 protected:
  // A gate that does this once, in the main worktree; it passes.
  void GateThatOnce(const std::string& script) {
    const std::string mark = repo_.outside() / "done";
    repo_.outside().Write("once", "test -e " + mark + " && exit 0\ntouch " + mark + "\ncd " +
                                      repo_.path() +
                                      "\ngit() { command git -c user.name=t -c "
                                      "user.email=t@example.org \"$@\"; }\n" +
                                      script);
    Gate("sh -e " + (repo_.outside() / "once"));
  }
};

TEST_F(MergeMovesTest, ABranchThatIsDeletedWhileItWaitsIsCancelledAndKept) {
  AddBranch("a", {{"a", "1\n"}});
  const std::string head = Commit("a");
  repo_.Git({"branch", "-D", "-q", "a"});
  EXPECT_EQ(ProcessAll().exit_code, 1);
  EXPECT_EQ(Status("m1"), "cancelled");
  EXPECT_THAT(ErrorOf("m1"),
              HasSubstr("the branch a no longer exists; its last commit is kept as refs/belay"));
  EXPECT_EQ(Commit("refs/belay/merge/m1/head"), head);
  EXPECT_EQ(History(), "first\n");
}

TEST_F(MergeMovesTest, ABranchThatMovedWhileItWaitedLandsAsItIsNow) {
  AddBranch("a", {{"a", "1\n"}});
  MoreOn("a", {{"a", "2\n"}});
  const std::string head = Commit("a");
  const RunOutcome outcome = ProcessAll();
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.err, HasSubstr("m1: a has moved; its new head " + head.substr(0, 10)));
  EXPECT_EQ(FileOf("a"), "2\n");
  EXPECT_EQ(TextOf(Entry("m1"), "head"), head);
  EXPECT_FALSE(HasBranch("a"));
}

TEST_F(MergeMovesTest, ABranchThatWasRebasedWhileItWaitedLandsOnce) {
  AddBranch("a", {{"a", "1\n"}});
  MoreOn("main", {{"more", "1\n"}});
  Script("git checkout -q a; git rebase -q main; git checkout -q main");
  Land();
  EXPECT_EQ(History(), "first\nmore\nwork on a\n");
}

TEST_F(MergeMovesTest, ABranchThatMovesWhileItIsTestedIsTestedAgain) {
  GateThatOnce("git update-ref refs/heads/a $(git commit-tree -p a -m later a^{tree})");
  AddBranch("a", {{"a", "1\n"}});
  Land();
  EXPECT_EQ(History(), "first\nwork on a\nlater\n");
  EXPECT_EQ(TextOf(Entry("m1").Find("gate_results")->AsArray()->front(), "commit"), Commit("main"));
}

TEST_F(MergeMovesTest, ABranchThatIsDeletedWhileItIsTestedDoesNotLand) {
  GateThatOnce("git branch -D -q a");
  AddBranch("a", {{"a", "1\n"}});
  EXPECT_EQ(ProcessAll().exit_code, 1);
  EXPECT_EQ(Status("m1"), "cancelled");
  EXPECT_EQ(History(), "first\n");
  ExpectTidy();
}

TEST_F(MergeMovesTest, ATargetThatMovesWhileTheGatesRunIsTestedAgainAndReported) {
  GateThatOnce("echo 1 > other; git add other; git commit -qm other");
  AddBranch("a", {{"a", "1\n"}});
  const RunOutcome outcome = ProcessAll();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("m1: main has moved, starting over"));
  EXPECT_THAT(outcome.err, HasSubstr("without the queue (t <t@example.org>: commit: other)"));
  EXPECT_EQ(History(), "first\nother\nwork on a\n");
  EXPECT_EQ(MainChanges(), "");
  ExpectTidy();
}

TEST_F(MergeMovesTest, ATargetThatMovedWithoutAWordIsReportedWithWhoDidIt) {
  AddBranch("a", {{"a", "1\n"}});
  Land();
  Script("git update-ref refs/heads/main $(git commit-tree -p main -m x main^{tree})");
  EXPECT_THAT(ProcessAll().err, HasSubstr("without the queue (t <t@example.org>)\n"));
}

TEST_F(MergeMovesTest, ATargetThatWasMovedBeforeIsReportedAndTestedAgain) {
  AddBranch("a", {{"a", "1\n"}});
  Land();
  Gate("! test -e bad");
  MoreOn("main", {{"bad", "1\n"}}, "bad");
  AddBranch("b", {{"b", "1\n"}});
  const RunOutcome outcome = ProcessAll();
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("without the queue"));
  EXPECT_THAT(outcome.err, HasSubstr("main is red at " + Commit("main").substr(0, 10)));
  EXPECT_THAT(ErrorOf("m2"), HasSubstr("main is red, too"));
  EXPECT_EQ(*Entry("m2").Find("attempts")->AsInteger(), 0);  // not the work's fault
}

TEST_F(MergeMovesTest, ATargetThatIsTakenBackDuringTheGatesIsBuiltUponAsItIs) {
  AddBranch("a", {{"a", "1\n"}});
  Land();
  GateThatOnce("git reset -q --hard HEAD~");
  AddBranch("b", {{"b", "1\n"}});
  const RunOutcome outcome = ProcessAll();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(Status("m2"), "merged");
  EXPECT_THAT(History(), HasSubstr("work on b\n"));
}

TEST_F(MergeMovesTest, WorkMergedByHandIsProvenAndNotLandedTwice) {
  AddBranch("a", {{"a", "1\n"}});
  MoreOn("main", {{"more", "1\n"}});
  Script("git cherry-pick a >/dev/null");
  Land();
  EXPECT_EQ(History(), "first\nmore\nwork on a\n");
  EXPECT_NE(TextOf(Entry("m1"), "proof"), "landed");
  EXPECT_EQ(TextOf(Entry("m1"), "merged_as"), Commit("main"));
}

// Commit by commit it changes something, so it lands; as one commit it wouldn't.
TEST_F(MergeMovesTest, WorkThatUndoesItselfIsNeverCalledMerged) {
  const std::string gate = "  gates: [{name: test, run: 'true'}]\n";
  Branch("a", {{{"tracked.txt", "2\n"}}, {{"tracked.txt", "first\n"}}});
  MoreOn("main", {{"more", "1\n"}});
  for (const std::string strategy : {"squash", "merge"}) {
    Settings("  strategy: " + strategy + "\n" + gate);
    const std::string id = Add("a");
    EXPECT_EQ(ProcessAll().exit_code, 1);
    EXPECT_EQ(Status(id), "cancelled");
    EXPECT_THAT(ErrorOf(id), HasSubstr("nothing to land"));
    EXPECT_TRUE(HasBranch("a"));
  }
  EXPECT_EQ(History(), "first\nmore\n");
  Settings("  strategy: rebase\n" + gate);
  const std::string id = Add("a");
  Land();
  EXPECT_EQ(TextOf(Entry(id), "proof"), "landed");
  EXPECT_EQ(History(), "first\nmore\nwork on a\nwork on a\n");
}

// As it happened in a public repository: both sides reverted, and the branch applied it again.
TEST_F(MergeMovesTest, WhatTheTargetRevertedAndTheBranchAppliedAgainLands) {
  MoreOn("main", {{"x", "1\n"}}, "X");
  const std::string revert =
      "git revert --no-edit HEAD >/dev/null; git commit -q --amend --no-edit ";
  Script("git checkout -q -b a; " + revert + "--date=2020-01-01T00:00:00Z; " + revert +
         "-m 'Reapply X' --date=2020-01-02T00:00:00Z; git checkout -q main; " + revert +
         "--date=2020-01-03T00:00:00Z");
  Add("a");
  Land();
  EXPECT_EQ(TextOf(Entry("m1"), "proof"), "landed");
  EXPECT_EQ(History(), "first\nX\nRevert \"X\"\nReapply X\n");
  EXPECT_EQ(FileOf("x"), "1\n");
}

TEST_F(MergeMovesTest, WhatTheTargetHasByOtherCommitsIsCancelledAndTheBranchStays) {
  AddBranch("a", {{"a", "1\n"}});
  MoreOn("main", {{"a", "1\n"}, {"more", "1\n"}});
  EXPECT_EQ(ProcessAll().exit_code, 1);
  EXPECT_EQ(Status("m1"), "cancelled");
  EXPECT_THAT(ErrorOf("m1"),
              HasSubstr("belay can't prove that its commits are there; the branch stays"));
  EXPECT_TRUE(HasBranch("a"));
}

TEST_F(MergeMovesTest, ATargetThatIsGoneIsNamed) {
  repo_.Git({"branch", "release"});
  Branch("a", {{{"a", "1\n"}}});
  Add("a", {"--target", "release"});
  repo_.Git({"branch", "-D", "-q", "release"});
  ExpectRefused({"process", "--target", "release"}, 3, "no branch \"release\"", "git branch");
  EXPECT_EQ(Status("m1"), "queued");
}

TEST_F(MergeMovesTest, ALockThatAKilledGitLeftIsNamedAndNothingIsLost) {
  AddBranch("a", {{"a", "1\n"}});
  repo_.Write(".git/refs/heads/main.lock", "");
  ExpectRefused({"process", "--all"}, 75, "refs/heads/main.lock", "remove that file");
  EXPECT_EQ(Status("m1"), "merging");
  ExpectRefused({"remove", "m1"}, 4, "m1 is merging", "");
  repo_.Remove(".git/refs/heads/main.lock");
  Land();
  EXPECT_EQ(History(), "first\nwork on a\n");
  ExpectTidy();
}

TEST_F(MergeMovesTest, PackedRefsAndGarbageCollectionTakeNothing) {
  AddBranch("a", {{"a", "1\n"}});
  AddBranch("b", {{"b", "1\n"}});
  repo_.Git({"branch", "-D", "-q", "b"});
  repo_.Git({"pack-refs", "--all"});
  repo_.Git({"-c", "gc.reflogExpire=now", "-c", "gc.pruneExpire=now", "gc", "-q", "--prune=now"});
  EXPECT_EQ(ProcessAll().exit_code, 1);
  EXPECT_FALSE(HasBranch("a"));
  EXPECT_EQ(FileOf("a"), "1\n");
  EXPECT_EQ(FileOf("b", "refs/belay/merge/m2/head"), "1\n");
  repo_.Git({"gc", "-q", "--prune=now"});
  ExpectTidy();
}

TEST_F(MergeMovesTest, RenderingsEditedByHandAreNeverTaken) {
  AddBranch("a", {{"a", "1\n"}});
  const std::string path = ".claude/state/merge-queue.json";
  Script("sed -i 's/\"queued\"/\"merged\"/' " + path);
  const std::string edited = repo_.Read(path);
  EXPECT_EQ(Status("m1"), "queued");
  Land();
  EXPECT_EQ(History(), "first\nwork on a\n");
  EXPECT_THAT(repo_.Read(path), HasSubstr("\"merged_as\": \"" + Commit("main")));
  EXPECT_EQ(Script("cat .git/belay/edited/*merge-queue*"), edited);  // no edit is lost
}

TEST_F(MergeMovesTest, ATargetThatKeepsMovingParksOnlyThatEntry) {
  Gate("cd " + repo_.path() +
       "; git update-ref refs/heads/main $(git -c user.name=t -c user.email=t@example.org "
       "commit-tree -p main -m moved main^{tree})");
  AddBranch("a", {{"a", "1\n"}});
  const RunOutcome outcome = Queue({"process"});
  EXPECT_EQ(outcome.exit_code, 1) << outcome.err;
  EXPECT_EQ(Status("m1"), "gate_unrunnable");
  EXPECT_THAT(ErrorOf("m1"), HasSubstr("a or main moved 10 times while it was tested"));
}

// The first move is tested by the gate, which makes the second.
TEST_F(MergeMovesTest, AMoveThatComesWhileAnEarlierOneIsTestedIsReportedToo) {
  AddBranch("a", {{"a", "1\n"}});
  Land();
  AddBranch("b", {{"b", "1\n"}});
  MoreOn("main", {{"first", "1\n"}}, "first bypass");
  GateThatOnce(
      "git update-ref refs/heads/main $(git commit-tree -p main -m 'second bypass' "
      "main^{tree})");
  const RunOutcome outcome = ProcessAll();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  std::size_t reports = 0;
  for (std::size_t at = 0; (at = outcome.err.find("without the queue", at)) != std::string::npos;
       ++at) {
    ++reports;
  }
  EXPECT_EQ(reports, 2u) << outcome.err;
}

TEST_F(MergeMovesTest, AMoveThatWasNotTestedBecauseOfAKillIsTestedByTheNextRun) {
  AddBranch("a", {{"a", "1\n"}});
  Land();
  MoreOn("main", {{"more", "1\n"}}, "bypass");
  // The gate ends the process that runs it, once; then it says no.
  GateThatOnce("kill -9 $(cat " + (repo_.outside() / "pid") + ")\nsleep 60");
  Script("sh -c 'echo $$ > ../pid; exec \"$0\" merge-queue process --all' " + BelayBinary() +
         " || true");
  Gate("false");
  const RunOutcome outcome = ProcessAll();
  EXPECT_THAT(outcome.err, HasSubstr("gate test: exit code 1"));
  EXPECT_THAT(Belay({"signal", "list", "person"}).out, HasSubstr("ESCALATE"));
  EXPECT_THAT(Queue({"process", "--all"}).err, ::testing::Not(HasSubstr("exit code 1")));
}

TEST_F(MergeMovesTest, APauseHoldsWhatIsTestedJustNow) {
  Script("mkfifo ../started ../go");
  GateThatOnce("echo begun > ../started; read word < ../go");
  AddBranch("a", {{"a", "1\n"}});
  Script(BelayBinary() + " merge-queue process --all & process=$!; read word < ../started; " +
         BelayBinary() + " merge-queue pause; echo go > ../go; wait $process");
  EXPECT_EQ(History(), "first\n");
  EXPECT_EQ(Queue({"unpause"}).exit_code, 0);
  Land();
  EXPECT_EQ(History(), "first\nwork on a\n");
}

}  // namespace
}  // namespace belay
