// The commands of the queue, as people and scripts use them: outcomes, exit codes, next steps.

#include "merge_sandbox.h"

namespace belay {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class MergeCommandsTest : public MergeSandbox {
 protected:
  std::vector<std::string> Keys(const Json& record) {
    std::vector<std::string> keys;
    for (const auto& member : *record.AsObject()) keys.push_back(member.key);
    return keys;
  }
};

TEST_F(MergeCommandsTest, ListHasTheKeysThatScriptsRelyOn) {
  AddBranch("a", {{"a", "1\n"}});
  const Json list = QueueJson({"list"});
  EXPECT_EQ(list.AsObject()->front().key, "schema_version");
  const Json& entry = list.Find("entries")->AsArray()->front();
  EXPECT_THAT(Keys(entry),
              ::testing::IsSupersetOf({"entry_id", "branch", "head", "target", "status", "position",
                                       "conflict_files", "last_error", "merged_as"}));
  EXPECT_EQ(TextOf(entry, "head"), Commit("a"));
  EXPECT_EQ(*entry.Find("position")->AsInteger(), 1);
  Land();
  EXPECT_TRUE(QueueJson({"list"}).Find("entries")->AsArray()->empty());
  const Json all = QueueJson({"list", "--all"});
  EXPECT_EQ(TextOf(all.Find("entries")->AsArray()->front(), "merged_as"), Commit("main"));
}

TEST_F(MergeCommandsTest, TheQueueFileHasItsEntriesInOrderWithTheirFields) {
  for (const std::string name : {"b", "a"}) AddBranch(name, {{name, "1\n"}});
  const Result<Json> file = ParseJson(repo_.Read(".claude/state/merge-queue.json"));
  ASSERT_TRUE(file.ok());
  const Json::Array& entries = *file->Find("entries")->AsArray();
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(TextOf(entries[0], "branch"), "b");
  EXPECT_EQ(TextOf(entries[1], "branch"), "a");
  EXPECT_THAT(Keys(entries[0]),
              ::testing::IsSupersetOf({"identity_name", "branch", "worktree_path", "pr_number",
                                       "bead_id", "node_id", "requested_at", "status"}));
  EXPECT_EQ(TextOf(entries[0], "status"), "queued");
  EXPECT_THAT(TextOf(entries[0], "requested_at"), ::testing::StartsWith("20"));
}

TEST_F(MergeCommandsTest, ProcessBringsTheQueueFileUpToDateAlsoWithoutWork) {
  AddBranch("a", {{"a", "1\n"}});
  Land();
  const std::string file = repo_.Read(".claude/state/merge-queue.json");
  Script("rm .claude/state/merge-queue.json");
  EXPECT_EQ(ProcessAll().exit_code, 0);
  EXPECT_EQ(repo_.Read(".claude/state/merge-queue.json"), file);
}

TEST_F(MergeCommandsTest, ProcessAndStatusSayWhatHappened) {
  AddBranch("a", {{"a", "1\n"}});
  const Json processed = QueueJson({"process", "--all"});
  EXPECT_EQ(TextOf(processed.Find("entries")->AsArray()->front(), "status"), "merged");
  const Json target = QueueJson({"status"}).Find("targets")->AsArray()->front();
  EXPECT_EQ(TextOf(target, "branch"), "main");
  EXPECT_EQ(TextOf(target, "commit"), Commit("main"));
  EXPECT_TRUE(*target.Find("green")->AsBool());
  EXPECT_EQ(*target.Find("in_line")->AsInteger(), 0);
  EXPECT_EQ(*target.Find("parked")->AsInteger(), 0);
  EXPECT_TRUE(target.Find("current")->is_null());
}

TEST_F(MergeCommandsTest, MqIsTheSameCommand) {
  EXPECT_EQ(Belay({"mq", "list"}).exit_code, 0);
  EXPECT_THAT(ProcessAll().out, HasSubstr("the queue is empty"));
}

TEST_F(MergeCommandsTest, HelpAboutOneOfThemSpeaksOfThatOne) {
  const std::string pause = Queue({"pause", "--help"}).out;
  EXPECT_THAT(pause, HasSubstr("belay merge-queue pause [--target BRANCH]"));
  EXPECT_THAT(pause, HasSubstr("`pause` stops"));
  EXPECT_THAT(pause, Not(HasSubstr("reference-transaction")));
  EXPECT_THAT(pause, HasSubstr("belay help merge-queue shows the full page"));
  EXPECT_EQ(Belay({"help", "mq", "pause"}).out, pause);
  EXPECT_THAT(Queue({"--help"}).out, HasSubstr("reference-transaction"));
}

TEST_F(MergeCommandsTest, WithoutGatesNothingLandsByMistake) {
  Settings("  target: main\n");
  AddBranch("a", {{"a", "1\n"}});
  ExpectRefused({"process", "--all"}, 4, "no gates are configured", "--no-gates");
  EXPECT_EQ(History(), "first\n");
  EXPECT_EQ(Queue({"process", "--all", "--no-gates"}).exit_code, 0);
  EXPECT_EQ(History(), "first\nwork on a\n");
  EXPECT_TRUE(QueueJson({"status"}).Find("targets")->AsArray()->front().Find("green")->is_null());
}

TEST_F(MergeCommandsTest, TheGatesAreThoseOfTheMainWorktreeAndNotOfTheBranch) {
  Gate("false");
  repo_.Write(".git/info/exclude", "");
  repo_.Git({"checkout", "-q", "-b", "sly"});
  repo_.Write("other/.claude/belay.yml", "merge: {gates: [{name: test, run: 'true'}]}\n");
  Script(
      "mkdir x; cp other/.claude/belay.yml x; git add -f x; "
      "git update-index --add --cacheinfo 100644,$(git hash-object -w x/belay.yml),"
      ".claude/belay.yml; git commit -qm sly; git symbolic-ref HEAD refs/heads/main; git reset -q; "
      "rm -r x other");
  Add("sly", {"--gates-change"});
  EXPECT_EQ(ProcessAll().exit_code, 1);
  EXPECT_EQ(Status("m1"), "gate_failed");
}

TEST_F(MergeCommandsTest, AnAgentDoesNotLandItsWorkItself) {
  AddBranch("a", {{"a", "1\n"}});
  const RunOutcome outcome =
      Queue({"process"}, {.environment = {{"BELAY_AGENT_ID", "orchestrator-login#1"}}});
  EXPECT_EQ(outcome.exit_code, 4) << outcome.out << outcome.err;
  EXPECT_EQ(Status("m1"), "queued");
  EXPECT_EQ(History(), "first\n");
}

TEST_F(MergeCommandsTest, RemovedWorkDoesNotLand) {
  AddBranch("a", {{"a", "1\n"}});
  AddBranch("b", {{"b", "1\n"}});
  EXPECT_EQ(TextOf(QueueJson({"remove", "m1"}), "status"), "cancelled");
  Land();
  EXPECT_EQ(History(), "first\nwork on b\n");
  EXPECT_TRUE(HasBranch("a"));
  ExpectTidy();
  EXPECT_EQ(Add("a"), "m3");  // it can be asked for again
}

TEST_F(MergeCommandsTest, NothingLandsOnWhatIsPaused) {
  AddBranch("a", {{"a", "1\n"}});
  EXPECT_EQ(Queue({"pause"}).exit_code, 0);
  const RunOutcome outcome = ProcessAll();
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.err, HasSubstr("main is paused, and 1 waits; belay merge-queue unpause"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("the queue is empty")));
  EXPECT_TRUE(*QueueJson({"process"}).Find("paused")->AsBool());
  EXPECT_THAT(Queue({"list"}).err, HasSubstr("main is paused"));
  EXPECT_EQ(History(), "first\n");
  EXPECT_EQ(Queue({"unpause"}).exit_code, 0);
  Land();
  EXPECT_EQ(History(), "first\nwork on a\n");
}

TEST_F(MergeCommandsTest, AHeadThatMovedSinceItWasValidatedIsReported) {
  Branch("a", {{{"a", "1\n"}}});
  const std::string validated = Commit("a");
  MoreOn("a", {{"a", "2\n"}});
  const RunOutcome outcome = Queue({"add", "a", "--head", validated});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.err, HasSubstr("a has moved since " + validated.substr(0, 10)));
  EXPECT_EQ(TextOf(Entry("m1"), "head"), Commit("a"));
}

TEST_F(MergeCommandsTest, ErrorsNameTheNextStep) {
  ExpectRefused({"add", "nobody"}, 3, "no branch \"nobody\"", "git branch");
  ExpectRefused({"add", "main"}, 2, "main can't land on itself", "--target");
  Branch("a", {{{"a", "1\n"}}});
  ExpectRefused({"add", "a", "--target", "nowhere"}, 3, "no branch \"nowhere\"", "git branch");
  ExpectRefused({"add", "a", "--priority", "much"}, 2, "--priority can't be \"much\"",
                "-100 to 100");
  ExpectRefused({"add", "a", "--after", "b"}, 2, "--after can't be \"b\"",
                "belay merge-queue list");
  ExpectRefused({"add", "a", "--head", "zzzz"}, 2, "--head is \"zzzz\"", "git rev-parse");
  ExpectRefused({"pause", "--target", "nowhere"}, 3, "no branch \"nowhere\"", "git branch");
  ExpectRefused({"add", "a", "--after", "m9"}, 3, "no entry m9", "list --all");
  ExpectRefused({"status", "m9"}, 3, "no entry m9", "list --all");
  ExpectRefused({"remove", "m9"}, 3, "no entry m9", "list --all");
  ExpectRefused({"retry", "m9"}, 3, "no entry m9", "list --all");
  ExpectRefused({"retry", "what"}, 2, "\"what\" is not an entry", "like m7");
  Add("a");
  ExpectRefused({"retry", "m1"}, 4, "only parked entries can be retried", "wait for its turn");
  Land();
  ExpectRefused({"remove", "m1"}, 4, "m1 is merged", "git revert");
  ExpectRefused({"retry", "m1"}, 4, "m1 is merged", "belay merge-queue add a");
}

TEST_F(MergeCommandsTest, PausingAnotherTargetShowsHowItContinues) {
  repo_.Git({"branch", "release"});
  EXPECT_THAT(Queue({"pause", "--target", "release"}).out,
              HasSubstr("belay merge-queue unpause --target release"));
  repo_.Git({"branch", "-q", "-D", "release"});
  EXPECT_EQ(Queue({"unpause", "--target", "release"}).exit_code, 0) << "though it is gone";
}

TEST_F(MergeCommandsTest, AConflictIsShownWithTheCommitsOfBothSides) {
  AddBranch("a", {{"tracked.txt", "theirs\n"}});
  MoreOn("main", {{"tracked.txt", "ours\n"}});
  EXPECT_EQ(ProcessAll().exit_code, 1);
  EXPECT_THAT(
      Queue({"status", "m1"}).out,
      HasSubstr("commit " + Commit("a").substr(0, 10) +
                " of a conflicts with these commits of main: " + Commit("main").substr(0, 10)));
}

TEST_F(MergeCommandsTest, WithoutCommonHistoryAPersonIsAskedAndNoAttemptIsCounted) {
  Script("git checkout -q --orphan alone; git commit -qm alone; git checkout -q main");
  Add("alone");
  EXPECT_EQ(ProcessAll().exit_code, 1);
  EXPECT_EQ(Status("m1"), "conflict");
  EXPECT_EQ(*Entry("m1").Find("attempts")->AsInteger(), 0);
}

TEST_F(MergeCommandsTest, AParkedEntryIsReportedAsQueuedAgain) {
  Gate("false");
  AddBranch("a", {{"a", "1\n"}});
  EXPECT_EQ(ProcessAll().exit_code, 1);
  EXPECT_THAT(Queue({"add", "a"}).err, HasSubstr("m1 was gate_failed and is queued again"));
  EXPECT_EQ(Status("m1"), "queued");
}

TEST_F(MergeCommandsTest, AColumnWithNothingInItTakesNoRoom) {
  AddBranch("a", {{"a", "1\n"}});
  EXPECT_THAT(Queue({"list"}).out, Not(HasSubstr("BY")));
  Branch("b", {{{"b", "1\n"}}});
  const RunOptions agent = AsAgent();
  EXPECT_EQ(Queue({"add", "b"}, agent).exit_code, 0);
  EXPECT_THAT(Queue({"list"}).out, HasSubstr("BY"));
}

TEST_F(MergeCommandsTest, ABranchWithNothingOfItsOwnIsRefused) {
  Branch("a", {});
  ExpectRefused({"add", "a"}, 4, "nothing to land: main already has every commit of a",
                "commit the work");
}

TEST_F(MergeCommandsTest, OutsideARepositoryItIsRefused) {
  const RunOptions outside{.folder = repo_.outside().path()};
  const RunOutcome outcome = Queue({"add", "a"}, outside);
  EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("git"));
}

TEST_F(MergeCommandsTest, WorksFromALinkedWorktree) {
  repo_.Git({"worktree", "add", "-q", "-b", "a", repo_.outside() / "linked"});
  const RunOptions linked{.folder = repo_.outside() / "linked"};
  RunReal({"sh", "-c", "echo 1 > a; git add a; git commit -qm 'work on a'"},
          {.folder = linked.folder, .environment = GitRepository::Environment()});
  EXPECT_EQ(Queue({"add", "a"}, linked).exit_code, 0);
  EXPECT_EQ(Queue({"process", "--all"}, linked).exit_code, 0);
  EXPECT_EQ(History(), "first\nwork on a\n");
  EXPECT_TRUE(HasBranch("a"));  // it is checked out there
  EXPECT_TRUE(*Entry("m1").Find("delete_pending")->AsBool());
  repo_.Git({"worktree", "remove", linked.folder});
  Land();
  EXPECT_FALSE(HasBranch("a"));
  EXPECT_FALSE(*Entry("m1").Find("delete_pending")->AsBool());
}

TEST_F(MergeCommandsTest, WhatIsLeftOfOldEntriesGoesWhenTheQueueIsProcessed) {
  AddBranch("a", {{"a", "1\n"}});
  Land();
  const std::string head = "refs/belay/merge/m1/head";
  const std::string log = TextOf(Entry("m1").Find("gate_results")->AsArray()->front(), "log");
  Land();
  EXPECT_EQ(repo_.TryGit({"show-ref", "--verify", "-q", head}), 0);
  EXPECT_TRUE(std::filesystem::exists(log)) << log;
  Gate("true", "  keep_age: 1ms\n");
  Land();
  EXPECT_NE(repo_.TryGit({"show-ref", "--verify", "-q", head}), 0);
  EXPECT_FALSE(std::filesystem::exists(log)) << log;
  EXPECT_EQ(History(), "first\nwork on a\n");
}

}  // namespace
}  // namespace belay
