// belay taint, as agents and people use it.

#include <gmock/gmock.h>

#include <filesystem>

#include "agents_sandbox.h"

namespace belay {
namespace {

using ::testing::HasSubstr;

class TaintCommandTest : public AgentsSandbox {
 protected:
  std::string StateOf(const std::string& agent) {
    return TextOf(BelayJson({"taint", "status", "--agent", agent}), "state");
  }
};

TEST_F(TaintCommandTest, PeopleAreCleanUntilTheyAreMarked) {
  const Json before = BelayJson({"taint", "status"});
  EXPECT_EQ(TextOf(before, "state"), "clean");
  EXPECT_EQ(TextOf(before, "session"), "manual");
  EXPECT_EQ(WriteJson(*before.Find("sources")), "[]");
  EXPECT_EQ(WriteJson(*before.Find("enforcement")), "{}");
  EXPECT_EQ(Belay({"taint", "mark", "--source", ".env"}).exit_code, 0);
  const Json after = BelayJson({"taint", "status"});
  EXPECT_EQ(TextOf(after, "state"), "tainted");
  const Json& source = (*after.Find("sources")->AsArray())[0];
  EXPECT_EQ(TextOf(source, "path"), ".env");
  EXPECT_EQ(TextOf(source, "tool"), "person");
  EXPECT_EQ(TextOf(source, "session"), "manual");
}

TEST_F(TaintCommandTest, AMarkedAgentIsShownAsTaintedEverywhere) {
  Spawn("worker-a#1");
  Spawn("worker-b#1");
  EXPECT_EQ(StateOf("a"), "clean");
  const RunOutcome marked =
      As("worker-a#1", {"taint", "mark", "--source", ".env", "--tool", "Read", "--json"});
  EXPECT_EQ(marked.exit_code, 0);
  EXPECT_EQ(TextOf(*ParseJson(marked.out), "state"), "tainted");
  EXPECT_EQ(StateOf("a"), "tainted");
  EXPECT_EQ(StateOf("b"), "clean");
  EXPECT_TRUE(Present("worker-a").tainted);
  EXPECT_FALSE(Present("worker-b").tainted);
  EXPECT_THAT(WriteJson(BelayJson({"hook", "show", "a"})), HasSubstr(".env"));
  EXPECT_THAT(folder_.Read("repo/.claude/state/taint.json"), HasSubstr("worker-a#1"));
  EXPECT_THAT(As("worker-a#1", {"taint", "status"}).out, HasSubstr("Read  .env"));
}

// A mark among the lost records must not be forgotten: no session counts as clean any more.
TEST_F(TaintCommandTest, NoSessionIsCleanAfterRecordsOfTaintWereLost) {
  const std::string journal = "repo/.git/belay/journals/taint.jsonl";
  Spawn("worker-a#1");
  Spawn("worker-b#1");
  EXPECT_EQ(Belay({"taint", "mark", "--source", ".env", "--agent", "a"}).exit_code, 0);
  EXPECT_EQ(Belay({"taint", "mark", "--source", ".key", "--agent", "b"}).exit_code, 0);
  std::string text = folder_.Read(journal);
  text[text.find(".env")] = '_';
  folder_.Write(journal, text);
  EXPECT_EQ(Belay({"doctor", "--repair"}).exit_code, 0);
  EXPECT_EQ(StateOf("a"), "tainted");
  EXPECT_EQ(TextOf(BelayJson({"taint", "status"}), "state"), "tainted");

  std::filesystem::remove(folder_.path() + "/" + journal);
  (void)Belay({"doctor", "--repair"});
  EXPECT_EQ(StateOf("a"), "tainted");
  EXPECT_EQ(StateOf("b"), "tainted");
  EXPECT_EQ(TextOf(BelayJson({"taint", "status"}), "state"), "tainted");
}

TEST_F(TaintCommandTest, AnAgentMarksOnlyItself) {
  Spawn("worker-a#1");
  Spawn("worker-b#1");
  for (const char* other : {"b", "worker-b#1", "manual"}) {
    ExpectError({"taint", "mark", "--source", ".env", "--agent", other}, 4, "may not taint",
                "worker-a#1");
  }
  EXPECT_EQ(StateOf("b"), "clean");
  EXPECT_EQ(As("worker-a#1", {"taint", "mark", "--source", ".env", "--agent", "a#1"}).exit_code, 0);
  EXPECT_EQ(Belay({"taint", "mark", "--source", ".env", "--agent", "b"}).exit_code, 0);
}

TEST_F(TaintCommandTest, AKnownAgentWithoutARecordCountsAsTainted) {
  Spawn("worker-a#1", false);
  const Json status = BelayJson({"taint", "status", "--agent", "worker-a"});
  EXPECT_EQ(TextOf(status, "state"), "tainted");
  EXPECT_NE(TextOf(status, "because"), "(none)");
}

TEST_F(TaintCommandTest, ASuccessorInherits) {
  Spawn("worker-a#1");
  EXPECT_EQ(As("worker-a#1", {"taint", "mark", "--source", "k.pem"}).exit_code, 0);
  TaintLedger taint(files_, clock_, project_);
  ASSERT_TRUE(taint.Begin(*TaintLedger::Lock(files_, project_), "worker-a#2", "worker-a#1").ok());
  Spawn("worker-a#2", false);
  const Json status = BelayJson({"taint", "status", "--agent", "a"});
  EXPECT_EQ(TextOf(status, "session"), "worker-a#2");
  EXPECT_EQ(TextOf(status, "state"), "tainted");
  EXPECT_EQ(TextOf(status, "inherited_from"), "worker-a#1");
  EXPECT_EQ(TextOf((*status.Find("sources")->AsArray())[0], "path"), "k.pem");
}

TEST_F(TaintCommandTest, AnUnreadableJournalMeansTaintedAndNothingCanBeMarked) {
  Spawn("worker-a#1");
  EXPECT_EQ(Belay({"taint", "mark", "--source", ".env"}).exit_code, 0);
  folder_.Write("repo/.git/belay/journals/taint.jsonl", "nonsense\n{}\nmore\n");
  const Json status = BelayJson({"taint", "status", "--agent", "a"});
  EXPECT_EQ(TextOf(status, "state"), "tainted");
  EXPECT_THAT(TextOf(status, "because"), HasSubstr("can't be read"));
  EXPECT_EQ(WriteJson(*status.Find("enforcement")), "{}");
  EXPECT_EQ(Belay({"taint", "mark", "--source", ".env"}).exit_code, 5);
}

TEST_F(TaintCommandTest, UnreadableIdentitiesMeanTaintedToo) {
  folder_.Write("repo/.git/belay/journals/identities.jsonl", "nonsense\n{}\nmore\n");
  EXPECT_EQ(StateOf("a"), "tainted");
}

TEST_F(TaintCommandTest, WrongInputIsRefused) {
  Spawn("worker-a#1");
  ExpectError({"taint", "mark"}, 2, "--source");
  ExpectError({"taint", "mark", "--source", ""}, 2, "--source");
  ExpectError({"taint", "mark", "--source", std::string(5000, 'x')}, 2, "4096");
  ExpectError({"taint", "mark", "--source", "x", "--agent", "nobody"}, 3, "nobody");
  ExpectError({"taint", "status", "--agent", "a#7"}, 3, "worker-a#7 doesn't exist yet");
  ExpectError({"taint", "status", "--agent", "a#x"}, 2, "a#x");
  EXPECT_EQ(StateOf("a"), "clean");
}

TEST_F(TaintCommandTest, WhatAMarkAcknowledgedSurvivesTheStateRoot) {
  Spawn("worker-a#1");
  EXPECT_EQ(As("worker-a#1", {"taint", "mark", "--source", ".env"}).exit_code, 0);
  EXPECT_EQ(RunReal({"rm", "-rf", folder_ / "repo/.claude"}).exit_code, 0);
  EXPECT_EQ(StateOf("a"), "tainted");
}

}  // namespace
}  // namespace belay
