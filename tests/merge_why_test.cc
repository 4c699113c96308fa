// belay why about an entry of the merge queue: what happened to it, and what comes next.

#include "merge_sandbox.h"

namespace belay {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class MergeWhyTest : public MergeSandbox {
 protected:
  Json Why(const std::string& of) {
    const RunOutcome outcome = Belay({"why", of, "--json"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
    const Result<Json> record = ParseJson(outcome.out);
    EXPECT_TRUE(record.ok()) << outcome.out;
    return record ? *record : Json();
  }
  std::vector<std::string> Kinds(const std::string& of) {
    std::vector<std::string> kinds;
    const Json why = Why(of);
    for (const Json& record : *why.Find("records")->AsArray()) {
      kinds.push_back(TextOf(record, "kind"));
    }
    return kinds;
  }
  std::string Next(const std::string& of) { return TextOf(*Why(of).Find("now"), "next"); }
};

TEST_F(MergeWhyTest, ShowsEachStepOfALandedEntry) {
  AddBranch("a", {{"a", "1\n"}});
  AddBranch("b", {{"b", "1\n"}});
  Land();
  EXPECT_THAT(Kinds("m1"),
              ElementsAre("queued", "rebasing", "testing", "merging", "merged", "merged"));
  EXPECT_EQ(Next("m1"), "nothing; it has landed");
  const Json now = *Why("m1").Find("now");
  EXPECT_EQ(TextOf(now, "entry_id"), "m1");
  EXPECT_EQ(TextOf(now, "status"), "merged");
  const std::string text = Belay({"why", "m1"}).out;
  EXPECT_THAT(text, AllOf(HasSubstr("its turn has come"), HasSubstr("the gates passed"),
                          HasSubstr("now: m1 (a onto main) is merged as ")));
  EXPECT_EQ(TextOf(*Why("b").Find("now"), "entry_id"), "m2");  // by its branch
}

TEST_F(MergeWhyTest, WithoutGatesEveryCommandReportsThatNothingLandsAndWhatHelps) {
  repo_.Write(".claude/belay.yml", "");
  Branch("docs", {{{"docs.md", "1\n"}}});
  const auto says = AllOf(HasSubstr("nothing lands until merge.gates is set"),
                          HasSubstr("belay merge-queue process --no-gates"));
  EXPECT_THAT(Queue({"add", "docs"}).err, says);
  EXPECT_THAT(TextOf(QueueJson({"add", "docs"}), "nothing_lands"), says);
  EXPECT_THAT(Queue({"list"}).err, says);
  EXPECT_THAT(TextOf(QueueJson({"list"}), "nothing_lands"), says);
  EXPECT_THAT(Queue({"status"}).err, says);
  EXPECT_THAT(Queue({"status", "m1"}).err, says);
  EXPECT_THAT(Next("m1"), says);
  const RunOutcome doctor = Belay({"doctor"});
  EXPECT_THAT(doctor.out, AllOf(HasSubstr("merge gates"), HasSubstr("1 entry waits in the queue"),
                                HasSubstr("set merge.gates in .claude/belay.yml")));
  EXPECT_EQ(Queue({"process"}).exit_code, 4);
  EXPECT_EQ(Queue({"process", "--no-gates"}).exit_code, 0);
  EXPECT_EQ(Status("m1"), "merged");
  EXPECT_THAT(Queue({"list", "--all"}).err, Not(HasSubstr("nothing lands")));
  EXPECT_THAT(Belay({"doctor"}).out, Not(HasSubstr("merge gates")));
}

TEST_F(MergeWhyTest, WithGatesNoCommandMentionsThem) {
  Branch("docs", {{{"docs.md", "1\n"}}});
  EXPECT_EQ(Queue({"add", "docs"}).err, "");
  EXPECT_EQ(Queue({"list"}).err, "");
  EXPECT_TRUE(QueueJson({"list"}).Find("nothing_lands")->is_null());
  EXPECT_THAT(Belay({"doctor"}).out, Not(HasSubstr("merge gates")));
}

TEST_F(MergeWhyTest, ShowsTheConflictAndHowToRetry) {
  Branch("a", {{{"tracked.txt", "a\n"}}});
  Branch("b", {{{"tracked.txt", "b\n"}}});
  Add("a");
  Add("b");
  EXPECT_EQ(ProcessAll().exit_code, 1);
  const std::string text = Belay({"why", "m2"}).out;
  EXPECT_THAT(text, AllOf(HasSubstr("conflict"), HasSubstr("tracked.txt"),
                          HasSubstr("reported to a person"),
                          HasSubstr("belay merge-queue retry m2"), HasSubstr("attempts: 1")));
}

TEST_F(MergeWhyTest, ShowsWhichGateFailed) {
  Gate("test ! -e a");
  AddBranch("a", {{"a", "1\n"}});
  EXPECT_EQ(ProcessAll().exit_code, 1);
  EXPECT_THAT(Kinds("m1"),
              ElementsAre("queued", "rebasing", "testing", "gate_failed", "gate_failed"));
  EXPECT_THAT(Belay({"why", "m1"}).out, HasSubstr("exit code 1"));
}

TEST_F(MergeWhyTest, ShowsWhatAQueuedEntryWaitsFor) {
  AddBranch("a", {{"a", "1\n"}});
  Branch("b", {{{"b", "1\n"}}});
  Add("b", {"--after", "m1"});
  AddBranch("c", {{"c", "1\n"}});
  EXPECT_THAT(Next("m1"),
              AllOf(HasSubstr("no guardian is running"), HasSubstr("merge-queue process")));
  EXPECT_THAT(Next("m2"), HasSubstr("until m1 is merged"));
  EXPECT_THAT(Next("m3"), HasSubstr("number 3 in the queue"));
  EXPECT_EQ(Queue({"pause"}).exit_code, 0);
  EXPECT_THAT(Next("m1"), HasSubstr("unpause"));
  EXPECT_EQ(Queue({"remove", "m3"}).exit_code, 0);
  EXPECT_THAT(Next("m3"), HasSubstr("merge-queue add c"));
}

TEST_F(MergeWhyTest, WhatIsNeitherAgentNorEntryIsNotFound) {
  AddBranch("a", {{"a", "1\n"}});
  for (const char* nobody : {"m7", "nobody"}) {
    const RunOutcome outcome = Belay({"why", nobody});
    EXPECT_EQ(outcome.exit_code, 3) << outcome.out;
  }
}

// Agents are often named as their branches; the entry has a name that only it has.
TEST_F(MergeWhyTest, AnAgentsNameMeansTheAgent) {
  Branch("login", {{{"a", "1\n"}}});
  Add("login");
  for (const char* name : {"login", "m1"}) {
    EXPECT_EQ(Belay({"spawn", "--name", name, "--no-respawn", "--", "true"}).exit_code, 0);
  }
  EXPECT_THAT(Belay({"why", "login"}).out, HasSubstr("orchestrator-login#1"));
  EXPECT_THAT(Belay({"why", "m1"}).out, HasSubstr("login onto main"));
  EXPECT_THAT(Belay({"why", "orchestrator-m1"}).out,
              AllOf(HasSubstr("orchestrator-m1#1"), Not(HasSubstr("onto main"))));
  for (const char* name : {"orchestrator-login", "orchestrator-m1"}) {
    (void)Belay({"stop", name, "--now"});
  }
}

TEST_F(MergeWhyTest, AnEntryThatIsntThereIsNamedAsSuch) {
  const RunOutcome outcome = Belay({"why", "m99"});
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("no entry m99"), HasSubstr("list --all")));
}

TEST_F(MergeWhyTest, ARemovedEntryIsNoLongerShownAsLanding) {
  Branch("a", {{{"tracked.txt", "a\n"}}});
  Add("a");
  repo_.Write("tracked.txt", "mine\n");
  EXPECT_EQ(ProcessAll().exit_code, 0);
  ASSERT_EQ(Status("m1"), "waiting_checkout");
  EXPECT_EQ(Queue({"remove", "m1"}).exit_code, 0);
  EXPECT_EQ(ErrorOf("m1"), "removed");
  ExpectRefused({"remove", "m1"}, 3, "m1 is already cancelled", "belay why m1");
}

}  // namespace
}  // namespace belay
