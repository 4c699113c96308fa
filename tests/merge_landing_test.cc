// Ordinary landings: in order, tested, once.

#include "merge_sandbox.h"

namespace belay {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class MergeLandingTest : public MergeSandbox {};

TEST_F(MergeLandingTest, LandsOneBranchAndDeletesIt) {
  Branch("login", {{{"a", "1\n"}}, {{"b", "2\n"}}});
  const std::string head = Commit("login");
  EXPECT_EQ(Add("login"), "m1");
  const RunOutcome outcome = ProcessAll();
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "1 merged, 0 not\n");
  EXPECT_THAT(outcome.err, HasSubstr("m1: login merged: main as " + head.substr(0, 10)));
  EXPECT_EQ(Commit("main"), head);  // nothing had to be put elsewhere
  EXPECT_FALSE(HasBranch("login"));
  EXPECT_EQ(Commit("refs/belay/merge/m1/head"), head);
  EXPECT_EQ(repo_.Read("b"), "2\n");
  EXPECT_EQ(MainChanges(), "");
  ExpectTidy();
}

TEST_F(MergeLandingTest, CleanWorkIsRebasedTestedAndLandedAndItsBranchIsGone) {
  Branch("login", {{{"a", "1\n"}}});
  MoreOn("main", {{"beside", "1\n"}});
  const std::string before = Commit("main");
  const std::string tested = repo_.outside() / "tested";
  Gate("test -e a && test -e beside && git rev-parse HEAD >> " + tested);
  Add("login");
  Land();
  EXPECT_EQ(Commit("main~1"), before) << "it lies on top of what was there";
  EXPECT_EQ(History(), "first\nmore\nwork on login\n");
  EXPECT_EQ(RunReal({"cat", tested}).out, Commit("main") + "\n")
      << "what landed is what was tested";
  EXPECT_FALSE(HasBranch("login"));
  ExpectTidy();
}

TEST_F(MergeLandingTest, LandsSeveralInTheOrderOfAddingEachOnTopOfTheOneBefore) {
  for (const std::string name : {"c", "a", "b"}) AddBranch(name, {{name, "1\n"}});
  Land();
  EXPECT_EQ(History(), "first\nwork on c\nwork on a\nwork on b\n");
  EXPECT_EQ(repo_.Git({"rev-list", "--merges", "main"}), "");
  ExpectTidy();
}

TEST_F(MergeLandingTest, ProcessWithoutAllLandsOne) {
  AddBranch("a", {{"a", "1\n"}});
  AddBranch("b", {{"b", "1\n"}});
  EXPECT_EQ(Queue({"process"}).exit_code, 0);
  EXPECT_EQ(History(), "first\nwork on a\n");
  EXPECT_EQ(Status("m2"), "queued");
}

TEST_F(MergeLandingTest, KeepsAuthorDatesAndMessage) {
  Branch("login", {});
  repo_.Git({"checkout", "-q", "login"});
  repo_.Write("a", "1\n");
  Script(
      "git add a; GIT_AUTHOR_NAME='Ann B' GIT_AUTHOR_EMAIL=ann@example.org "
      "GIT_AUTHOR_DATE='2001-02-03T04:05:06+0700' git commit -qF - <<'E'\nSubject\n\nBody\nE");
  repo_.Git({"checkout", "-q", "main"});
  MoreOn("main", {{"other", "1\n"}});
  Add("login");
  Land();
  EXPECT_EQ(repo_.Git({"log", "-1", "--format=%an <%ae> %aI%n%B", "main"}),
            "Ann B <ann@example.org> 2001-02-03T04:05:06+07:00\nSubject\n\nBody\n\n");
}

class MergeCommitterTest : public MergeSandbox {
 protected:
  // Committed long ago, and put on top of a main that went on.
  void AddOldWork(const std::string& name) {
    Branch(name, {});
    repo_.Git({"checkout", "-q", name});
    repo_.Write(name, "1\n");
    Script("git add " + name + "; GIT_COMMITTER_NAME='Com M' GIT_COMMITTER_EMAIL=com@example.org " +
           "GIT_COMMITTER_DATE='2001-02-03T04:05:06+0700' git commit -qm " + name);
    repo_.Git({"checkout", "-q", "main"});
    MoreOn("main", {{"beside-" + name, "1\n"}});
    Add(name);
  }
  std::string Committer() { return repo_.Git({"log", "-1", "--format=%cn <%ce> %cI", "main"}); }
};

TEST_F(MergeCommitterTest, TheDateIsThatOfBuildingAndIsOnRecord) {
  AddOldWork("a");
  Land();
  const std::string built = TextOf(Entry("m1"), "built_at");
  EXPECT_EQ(Committer(), "Com M <com@example.org> " + built.substr(0, 19) + "+00:00\n");
  EXPECT_THAT(built, ::testing::StartsWith("20"));
  EXPECT_GT(built, "2020");
}

TEST_F(MergeCommitterTest, KeepLeavesItAsItWas) {
  Settings("  committer: keep\n  gates: [{name: test, run: 'true'}]\n");
  AddOldWork("a");
  Land();
  EXPECT_EQ(Committer(), "Com M <com@example.org> 2001-02-03T04:05:06+07:00\n");
}

TEST_F(MergeCommitterTest, WhatIsFastForwardedStaysAsItIs) {
  AddBranch("a", {{"a", "1\n"}});
  const std::string head = Commit("a");
  Land();
  EXPECT_EQ(Commit("main"), head);
}

TEST_F(MergeLandingTest, PriorityIsSooner) {
  AddBranch("a", {{"a", "1\n"}});
  Branch("b", {{{"b", "1\n"}}});
  Add("b", {"--priority", "5"});
  EXPECT_EQ(TextOf((*QueueJson({"list"}).Find("entries")->AsArray())[0], "entry_id"), "m2");
  Land();
  EXPECT_EQ(History(), "first\nwork on b\nwork on a\n");
}

TEST_F(MergeLandingTest, WaitsForWhatItComesAfter) {
  AddBranch("red", {{"red", "1\n"}});
  Branch("second", {{{"b", "1\n"}}});
  Add("second", {"--after", "m1", "--priority", "9"});
  AddBranch("third", {{"c", "1\n"}});
  Gate("! test -e red");
  EXPECT_EQ(ProcessAll().exit_code, 1);
  EXPECT_EQ(History(), "first\nwork on third\n");
  EXPECT_EQ(Status("m2"), "queued");
  EXPECT_THAT(Queue({"list"}).out, HasSubstr("waits for m1"));
  EXPECT_THAT(ProcessAll().out, HasSubstr("m2 waits for m1"));
  Gate("true");
  EXPECT_EQ(Queue({"retry", "m1"}).exit_code, 0);
  Land();
  EXPECT_EQ(History(), "first\nwork on third\nwork on red\nwork on second\n");
}

TEST_F(MergeLandingTest, TheSameBranchTwiceIsOneEntry) {
  AddBranch("a", {{"a", "1\n"}});
  const RunOutcome again = Queue({"add", "a"});
  EXPECT_EQ(again.exit_code, 0);
  EXPECT_THAT(again.err, HasSubstr("m1 is already in the queue"));
  EXPECT_FALSE(*QueueJson({"add", "a"}).Find("new")->AsBool());
  Land();
  EXPECT_EQ(History(), "first\nwork on a\n");
}

TEST_F(MergeLandingTest, ABranchThatLandedCanBeUsedAndAddedAgain) {
  AddBranch("a", {{"a", "1\n"}});
  Land();
  EXPECT_EQ(AddBranch("a", {{"a", "2\n"}}), "m2");
  Land();
  EXPECT_EQ(FileOf("a"), "2\n");
}

TEST_F(MergeLandingTest, AConflictIsParkedAndNoEntryWaitsForIt) {
  AddBranch("a", {{"tracked.txt", "a\n"}});
  AddBranch("b", {{"tracked.txt", "b\n"}});
  AddBranch("c", {{"c", "1\n"}});
  EXPECT_EQ(ProcessAll().exit_code, 1);
  EXPECT_EQ(History(), "first\nwork on a\nwork on c\n");
  const Json entry = Entry("m2");
  EXPECT_EQ(TextOf(entry, "status"), "conflict");
  EXPECT_EQ(TextOf(entry, "last_error"), "conflict with main in 1 file: tracked.txt");
  EXPECT_EQ(WriteJson(*entry.Find("conflict_files")), R"(["tracked.txt"])");
  EXPECT_EQ(TextOf(*entry.Find("conflict"), "commit"), Commit("b"));
  EXPECT_EQ(WriteJson(*entry.Find("conflict")->Find("target")), "[\"" + Commit("main~1") + "\"]");
  EXPECT_THAT(Queue({"status", "m2"}).out, HasSubstr("line 1 of main, line 1 of b"));
  EXPECT_EQ(repo_.Git({"show", "b:tracked.txt"}), "b\n");
  ExpectTidy();
}

TEST_F(MergeLandingTest, TheReportOfAConflictHasTheFilesAndBothSides) {
  AddBranch("a", {{"tracked.txt", "a\n"}});
  AddBranch("b", {{"tracked.txt", "b\n"}});
  EXPECT_EQ(ProcessAll().exit_code, 1);
  const Result<Json> signal = ParseJson(Script("cat .git/belay/signals/person/*.json"));
  ASSERT_TRUE(signal.ok());
  const std::string text = WriteJson(*signal);
  EXPECT_THAT(text, HasSubstr("MERGE_CONFLICT"));
  EXPECT_THAT(text, HasSubstr(R"("files":["tracked.txt"])"));
  EXPECT_THAT(text, HasSubstr(R"("ours":[")" + Commit("main")));
  EXPECT_THAT(text, HasSubstr(R"("theirs":[")" + Commit("b")));
  EXPECT_THAT(text, HasSubstr("line 1 of main, line 1 of b"));
}

TEST_F(MergeLandingTest, FixedWorkLandsWhenItIsRetried) {
  AddBranch("a", {{"tracked.txt", "a\n"}});
  AddBranch("b", {{"tracked.txt", "b\n"}});
  EXPECT_EQ(ProcessAll().exit_code, 1);
  Script("git checkout -q b; git rebase -q -X theirs main; git checkout -q main");
  EXPECT_EQ(TextOf(QueueJson({"retry", "m2"}), "status"), "queued");
  EXPECT_THAT(repo_.Read(".claude/state/merge-queue.json"), Not(HasSubstr("conflict with main")));
  Land();
  EXPECT_EQ(FileOf("tracked.txt"), "b\n");
  EXPECT_EQ(ErrorOf("m2"), "(none)");
}

TEST_F(MergeLandingTest, ARedGateIsParkedWithItsOutput) {
  Gate("echo hello from the gate; test -e a");
  AddBranch("b", {{"b", "1\n"}});
  AddBranch("a", {{"a", "1\n"}});
  EXPECT_EQ(ProcessAll().exit_code, 1);
  EXPECT_EQ(History(), "first\nwork on a\n");
  const Json entry = Entry("m1");
  EXPECT_EQ(TextOf(entry, "status"), "gate_failed");
  EXPECT_EQ(TextOf(entry, "last_error"),
            "gate test: exit code 1; main is red, too, at " + Commit("main~1").substr(0, 10));
  const Json& result = entry.Find("gate_results")->AsArray()->front();
  const std::string log = TextOf(result, "log");
  EXPECT_THAT(RunReal({"cat", log}).out, HasSubstr("hello from the gate"));
  EXPECT_TRUE(HasBranch("b"));
  ExpectTidy();
}

TEST_F(MergeLandingTest, ReportsThatTheTargetPassesWhatTheWorkDoesNot) {
  Gate("! test -e b");
  AddBranch("b", {{"b", "1\n"}});
  EXPECT_EQ(ProcessAll().exit_code, 1);
  EXPECT_EQ(ErrorOf("m1"), "gate test: exit code 1; main passes it");
  EXPECT_EQ(*Entry("m1").Find("attempts")->AsInteger(), 1);
}

TEST_F(MergeLandingTest, AGateThatPassesTheSecondTimeIsAFlake) {
  const std::string mark = repo_.outside() / "tried";
  Gate("test -e " + mark + " || { touch " + mark + "; exit 1; }", "      retries: 1\n");
  AddBranch("a", {{"a", "1\n"}});
  const RunOutcome outcome = ProcessAll();
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.err, HasSubstr("gate test: exit code 1, retrying"));
  EXPECT_EQ(*Entry("m1").Find("gate_results")->AsArray()->front().Find("runs")->AsInteger(), 2);
  EXPECT_THAT(repo_.Read(".git/belay/journals/merge-queue.jsonl"),
              HasSubstr(R"("name":"test","runs":1,"flakes":1)"));
}

TEST_F(MergeLandingTest, TheGatesSeeTheCandidateAndNothingElse) {
  Gate("test -e a && test -e more && ! test -e b && ! test -e untracked");
  AddBranch("a", {{"a", "1\n"}});
  Branch("b", {{{"b", "1\n"}}});
  MoreOn("main", {{"more", "1\n"}});
  repo_.Write("untracked", "1");
  Land();
}

TEST_F(MergeLandingTest, SquashAndMergeAreTheOtherStrategies) {
  const std::string gate = "  gates: [{name: test, run: 'true'}]\n";
  Settings("  strategy: squash\n" + gate);
  Branch("a", {{{"a", "1\n"}}, {{"a", "2\n"}}});
  Add("a");
  Land();
  EXPECT_EQ(repo_.Git({"rev-list", "--count", "main"}), "2\n");
  Settings("  strategy: merge\n" + gate);
  AddBranch("b", {{"b", "1\n"}});
  Land();
  EXPECT_EQ(repo_.Git({"rev-list", "--count", "--merges", "main"}), "1\n");
  EXPECT_EQ(FileOf("a") + FileOf("b"), "2\n1\n");
}

TEST_F(MergeLandingTest, WhatTheTargetHadAndTookBackLandsAgain) {
  AddBranch("feat", {{"x", "hello\n"}});
  Script(
      "git cherry-pick feat >/dev/null; git commit --amend -qm picked; "
      "git revert --no-edit HEAD >/dev/null");
  Land();
  EXPECT_EQ(Status("m1"), "merged");
  EXPECT_EQ(FileOf("x"), "hello\n");
  EXPECT_EQ(repo_.Git({"log", "-1", "--format=%s", "main"}), "work on feat\n");
}

TEST_F(MergeLandingTest, ThePatchThatTheTargetHasElsewhereInTheFileLands) {
  std::string same;
  for (int i = 0; i < 30; ++i) same += "same\n";
  MoreOn("main", {{"rep", same}});
  AddBranch("feat", {{"rep", std::string(same).insert(std::size_t{20} * 5, "new\n")}});
  MoreOn("main", {{"rep", std::string(same).insert(std::size_t{5} * 5, "new\n")}});
  Land();
  EXPECT_EQ(TextOf(Entry("m1"), "proof"), "landed");
  EXPECT_EQ(Script("grep -c new rep"), "2\n");
}

TEST_F(MergeLandingTest, OneQueueForEachTarget) {
  repo_.Git({"branch", "release"});
  Branch("a", {{{"a", "1\n"}}});
  Add("a", {"--target", "release"});
  AddBranch("b", {{"b", "1\n"}});
  Land();
  EXPECT_EQ(History("release"), "first\n");
  EXPECT_EQ(Queue({"process"}).out,
            "1 queued for release: belay merge-queue process --target 'release'\n");
  EXPECT_EQ(Queue({"process", "--all", "--target", "release"}).exit_code, 0);
  EXPECT_EQ(History("release"), "first\nwork on a\n");
  EXPECT_EQ(History(), "first\nwork on b\n");
}

}  // namespace
}  // namespace belay
