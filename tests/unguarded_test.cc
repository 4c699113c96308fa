// What a person sees without a guardian, and that messages for the person are seen at all.

#include "guard_sandbox.h"

namespace belay {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class UnguardedTest : public GuardSandbox {
 protected:
  std::string Next(const std::string& name) {
    return Text(*BelayJson({"why", name}).Find("now"), "next");
  }
};

TEST_F(UnguardedTest, DoctorAndAgentsSayThatNoGuardianRunsWhileAgentsNeedOne) {
  EXPECT_THAT(Belay({"doctor"}).out, Not(HasSubstr("guardian")));
  Spawn("login", {AgentScript("login", kWaits)});
  EXPECT_THAT(
      Belay({"agents"}).err,
      HasSubstr("no guardian is running: agents that crash are not restarted; run belay guard"));
  EXPECT_THAT(Belay({"doctor"}).out,
              AllOf(HasSubstr("no guardian is running"), HasSubstr("belay guard")));
  Kill(Present("login"));
  AwaitEnd("repo", "login");
  EXPECT_THAT(Belay({"agents"}).err,
              HasSubstr("no guardian is running: 1 agent waits to be started"));
  EXPECT_THAT(Belay({"doctor"}).out, HasSubstr("no guardian is running: 1 agent waits to be"));
  StartGuardian();
  AwaitStatus("login", 2, AgentStatus::kAlive);
  EXPECT_THAT(Belay({"agents"}).err, Not(HasSubstr("no guardian is running")));
  EXPECT_THAT(Belay({"doctor"}).out, Not(HasSubstr("no guardian is running")));
}

TEST_F(UnguardedTest, AnAgentThatHasFinishedDoesNotWaitToBeStarted) {
  SpawnToEnd("login", {"true"});
  EXPECT_THAT(Belay({"agents"}).err, Not(HasSubstr("no guardian is running")));
}

TEST_F(UnguardedTest, WhyOfAGuardianThatEndedNamesBelayGuard) {
  ASSERT_EQ(Belay({"guard", "--once"}).exit_code, 0);
  EXPECT_EQ(Next("main"), "no guardian is running; belay guard starts one");
  const RunOutcome released = Belay({"release", "main"});
  EXPECT_EQ(released.exit_code, 3);
  EXPECT_THAT(released.err, AllOf(HasSubstr("belay guard"), Not(HasSubstr("belay spawn"))));
}

TEST_F(UnguardedTest, AReleasedAgentShowsThatItWaitsToBeStarted) {
  SpawnToEnd("login", {"true"});
  ASSERT_EQ(Belay({"guard", "--once"}).exit_code, 0);
  const RunOutcome released = Belay({"release", "login"});
  EXPECT_THAT(released.out, AllOf(HasSubstr("no guardian is running; belay guard"),
                                  HasSubstr("which runs its command again with the resume text")));
  EXPECT_THAT(Belay({"agents"}).out, AllOf(HasSubstr("waits to be started; no guardian is running"),
                                           Not(HasSubstr("due now"))));
}

TEST_F(UnguardedTest, AMessageToADeadAgentIsForItsSuccessor) {
  Spawn("login", {AgentScript("login", kWaits)});
  Kill(Present("login"));
  AwaitEnd("repo", "login");
  const RunOutcome sent = Belay({"send", "login", "use the new parser"});
  EXPECT_EQ(sent.exit_code, 0) << sent.err;
  EXPECT_THAT(sent.out, AllOf(HasSubstr("its successor gets it"),
                              Not(HasSubstr("while the agent is running"))));
  EXPECT_THAT(Belay({"agents"}).out,
              AllOf(HasSubstr("1 message waits for its successor"), Not(HasSubstr("next hook"))));
}

TEST_F(UnguardedTest, SendThatGivesUpWaitingReportsThatTheMessageIsStored) {
  Spawn("login", {AgentScript("login", kWaits)});
  const RunOutcome sent = Belay({"send", "login", "--wait", "--timeout", "100ms", "hello"});
  EXPECT_EQ(sent.exit_code, 124) << sent.err;
  EXPECT_THAT(sent.err, AllOf(HasSubstr("timed out"), HasSubstr("the message is stored")));
}

TEST_F(UnguardedTest, MessagesForThePersonAreSeenInListsAndOnTheGuardiansTerminal) {
  Process& guardian = StartGuardian();
  Start("login");
  const std::string reason = "which of the two databases should the login page use from now on?";
  const RunOutcome asked = Belay({"signal", "send", "ESCALATE", "--to", "person", "--payload",
                                  R"({"reason":")" + reason + R"("})"},
                                 {.environment = {{"BELAY_AGENT_ID", "orchestrator-login#1"}}});
  ASSERT_EQ(asked.exit_code, 0) << asked.err;
  ASSERT_TRUE(Await([&] { return GuardianSaid().find(reason) != std::string::npos; }));
  EXPECT_THAT(GuardianSaid(), HasSubstr("for you: ESCALATE from orchestrator-login#1: " + reason));
  const std::string line = "1 message for you: belay signal list person";
  EXPECT_THAT(Belay({"agents"}).err, HasSubstr(line));
  EXPECT_THAT(Belay({"mq", "list"}).err, HasSubstr(line));
  EXPECT_THAT(Belay({"signal", "list", "person"}).out, HasSubstr(reason));
  EndGuardian(guardian);
  const std::size_t said = GuardianSaid().size();
  StartGuardian();
  EXPECT_THAT(GuardianSaid().substr(said), HasSubstr(line));
  ASSERT_EQ(Belay({"signal", "wait", "person", "--type", "ESCALATE", "--timeout", "5"}).exit_code,
            0);
  EXPECT_THAT(Belay({"agents"}).err, Not(HasSubstr("for you")));
}

// A person queues the branch of an agent: the reports are for the agent.
TEST_F(UnguardedTest, ABranchInTheWorktreeOfOneAgentIsTheWorkOfThatAgent) {
  folder_.Write("repo/.claude/belay.yml",
                "merge:\n  gates:\n    - name: test\n      run: \"true\"\n");
  Spawn("docs", {AgentScript("docs", kWaits)}, {"--new-worktree", "docs"});
  const std::string path = Present("docs").worktree_path;
  folder_.Write("repo.worktrees/orchestrator-docs/file.txt", "docs\n");
  Git({"-C", path, "commit", "-qam", "docs"});
  folder_.Write("repo/file.txt", "main\n");
  Git({"-C", "repo", "commit", "-qam", "main"});
  const RunOutcome added = Belay({"mq", "add", "docs"});
  ASSERT_EQ(added.exit_code, 0) << added.err;
  EXPECT_THAT(added.err, HasSubstr("docs is checked out in the worktree of orchestrator-docs"));
  EXPECT_EQ(Text(BelayJson({"mq", "status", "m1"}), "identity_name"), "orchestrator-docs");
  EXPECT_EQ(Belay({"mq", "process", "--all"}).exit_code, 1);
  EXPECT_THAT(Belay({"signal", "list", "docs"}).out, HasSubstr("MERGE_CONFLICT"));
  EXPECT_THAT(Belay({"why", "m1"}).out, HasSubstr("reported to orchestrator-docs\n"));
}

TEST_F(UnguardedTest, ABranchThatNoAgentHasCheckedOutIsThePersons) {
  folder_.Write("repo/.claude/belay.yml",
                "merge:\n  gates:\n    - name: test\n      run: \"true\"\n");
  Spawn("docs", {AgentScript("docs", kWaits)});  // in the person's own checkout
  Git({"-C", "repo", "checkout", "-q", "-b", "feature"});
  folder_.Write("repo/file.txt", "feature\n");
  Git({"-C", "repo", "commit", "-qam", "feature"});
  Git({"-C", "repo", "checkout", "-q", "main"});
  folder_.Write("repo/file.txt", "main\n");
  Git({"-C", "repo", "commit", "-qam", "main"});
  EXPECT_EQ(Belay({"mq", "add", "feature"}).err, "");
  EXPECT_EQ(Belay({"mq", "process", "--all"}).exit_code, 1);
  EXPECT_THAT(Belay({"why", "m1"}).out, HasSubstr("reported to a person"));
  const Json list = BelayJson({"signal", "list", "person"});
  const Json report = list.Find("signals")->AsArray()->front();
  const std::string text = Text(*report.Find("payload"), "text");
  EXPECT_THAT(text, AllOf(HasSubstr("feature could not land on main (m1)"),
                          HasSubstr("belay merge-queue retry m1"), Not(HasSubstr("Your branch")),
                          Not(HasSubstr("MERGE_READY"))));
}

}  // namespace
}  // namespace belay
