// `belay guard`: what it does about agents that end, that are stopped, and that speak.

#include <unistd.h>

#include "app/control.h"
#include "guard_sandbox.h"
#include "model/signal.h"
#include "os/socket.h"
#include "testing/places.h"

namespace belay {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class GuardTest : public GuardSandbox {};

TEST_F(GuardTest, AKilledAgentRestartsAndKnowsWhatItWasDoing) {
  StartGuardian();
  const Identity first = Start("login", "cat \"$BELAY_RESUME_FILE\" >\"" + folder_.path() +
                                            "/told-$BELAY_AGENT_ID\"\n" + std::string(kWaits));
  ASSERT_EQ(Belay({"hook", "phase", "login", "implementation"}).exit_code, 0);
  ASSERT_EQ(Belay({"hook", "note", "login", "the parser is half done"}).exit_code, 0);
  Kill(first);
  const Identity second = AwaitStatus("login", 2, AgentStatus::kAlive);
  EXPECT_EQ(second.predecessor_id, "orchestrator-login#1");
  EXPECT_EQ(second.restart.restarts, 1U);
  const Identity before = Before("login");
  EXPECT_EQ(before.status, AgentStatus::kCrashed);
  EXPECT_EQ(before.exit->cause, ExitCause::kKilled);
  EXPECT_EQ(before.exit->signal, SIGKILL);
  const Json hook = Hook("login");
  EXPECT_EQ(*hook.Find("incarnation")->AsInteger(), 2);
  EXPECT_EQ(Text(hook, "work_phase"), "implementation");
  EXPECT_EQ(Text(hook, "work_summary"), "the parser is half done");
  ASSERT_TRUE(Await([&] { return folder_.Read("told-orchestrator-login#2").size() > 9; }));
  EXPECT_THAT(folder_.Read("told-orchestrator-login#2"),
              AllOf(HasSubstr("You are a continuation of orchestrator-login#1"),
                    HasSubstr("Resume from phase: implementation, last working on: "),
                    HasSubstr("the parser is half done"), HasSubstr("orchestrator-login#2")));
}

TEST_F(GuardTest, ADeathIsSeenWithinASecondAndTheAgentRunsAgainWithinFive) {
  StartGuardian();
  Identity agent = Start("login");
  // On a busy machine once may be too slow; a guardian that waits is too slow each time.
  Duration seen = std::chrono::hours(1);
  Duration back = std::chrono::hours(1);
  for (std::uint32_t i = 1; i <= 2 && (seen > std::chrono::seconds(1) || i == 1); ++i) {
    const WallTime killed = clock_.Wall();
    Kill(agent);
    agent = AwaitStatus("login", i + 1, AgentStatus::kAlive);
    seen = std::min(seen, Before("login").exit->at - killed);
    back = std::min(back, agent.started_at.value_or(clock_.Wall()) - killed);
  }
  EXPECT_LE(seen, std::chrono::seconds(1));
  EXPECT_LE(back, std::chrono::seconds(5));
}

TEST_F(GuardTest, WhatAnAgentHadWrittenIsKeptBeforeItRestarts) {
  StartGuardian();
  Spawn("login", {AgentScript("login",
                              "case $BELAY_AGENT_ID in\n"
                              "*#1) echo work >work.txt; kill -9 $$ ;;\n"
                              "*) rm work.txt; echo >removed.txt ;;\n"
                              "esac\n" +
                                  std::string(kWaits))});
  AwaitStatus("login", 2, AgentStatus::kAlive);
  ASSERT_TRUE(Await([&] { return folder_.Read("repo/removed.txt") != "(missing)"; }));
  EXPECT_EQ(folder_.Read("repo/work.txt"), "(missing)");
  EXPECT_GE(SnapshotsWith("login", "work.txt"), 1U);
}

TEST_F(GuardTest, AnAgentThatIsDoneStaysAway) {
  StartGuardian();
  Spawn("login", {AgentScript("login", "echo work >work.txt\nexit 0\n")});
  AwaitStatus("login", 1, AgentStatus::kTerminated);
  AwaitATurn();
  EXPECT_TRUE(Is("login", 1, AgentStatus::kTerminated));
  EXPECT_FALSE(Present("login").restart.due);
  EXPECT_GE(SnapshotsWith("login", "work.txt"), 1U);
}

TEST_F(GuardTest, AStoppedAgentStaysAway) {
  StartGuardian();
  const Identity agent = Start("login");
  ASSERT_EQ(Belay({"stop", "login"}).exit_code, 0);
  AwaitStatus("login", 1, AgentStatus::kTerminated);
  AwaitATurn();
  EXPECT_TRUE(Is("login", 1, AgentStatus::kTerminated));
  EXPECT_FALSE(Lives(agent.process));
}

TEST_F(GuardTest, AnAgentThatWasStoppedWhileItWaitedForItsRestartStaysStopped) {
  Supervise({"first_backoff: 1h", "longest_backoff: 1h"});
  StartGuardian();
  Spawn("login", {AgentScript("login", "exit 1\n")});
  ASSERT_TRUE(Await([&] {
    return Is("login", 2, AgentStatus::kCrashed) && Present("login").restart.due.has_value();
  }));
  ASSERT_EQ(Belay({"stop", "login"}).exit_code, 0);
  AwaitATurn();
  EXPECT_TRUE(Is("login", 2, AgentStatus::kTerminated));
}

TEST_F(GuardTest, AnAgentThatCrashesFiveTimesIsQuarantinedUntilItIsReleased) {
  Supervise({"first_backoff: 10ms", "longest_backoff: 10ms"});
  StartGuardian();
  const std::string mended = folder_ / "mended";
  Spawn("login",
        {AgentScript("login", "[ -e \"" + mended + "\" ] || exit 1\n" + std::string(kWaits))});
  const Identity quarantined = AwaitStatus("login", 5, AgentStatus::kQuarantined);
  EXPECT_THAT(quarantined.restart.reason, HasSubstr("5"));
  EXPECT_FALSE(quarantined.restart.due);
  const Json row = Agent("orchestrator-login#5");
  EXPECT_EQ(Text(row, "color"), "red");
  EXPECT_THAT(
      Belay({"signal", "wait", "person", "--type", "AGENT_CRASHED", "--timeout", "30s"}).out,
      AllOf(HasSubstr("AGENT_CRASHED"), HasSubstr("orchestrator-login#5")));
  AwaitATurn();
  ASSERT_TRUE(Is("login", 5, AgentStatus::kQuarantined));
  folder_.Write("mended", "");
  ASSERT_EQ(Belay({"release", "login"}).exit_code, 0);
  EXPECT_EQ(AwaitStatus("login", 6, AgentStatus::kAlive).predecessor_id, "orchestrator-login#5");
}

TEST_F(GuardTest, AnAgentThatIsNotToBeRespawnedIsOnlyRecorded) {
  StartGuardian();
  Kill(Start("login", kWaits, {"--no-respawn"}));
  AwaitStatus("login", 1, AgentStatus::kCrashed);
  AwaitATurn();
  EXPECT_TRUE(Is("login", 1, AgentStatus::kCrashed));
  EXPECT_FALSE(Present("login").restart.due);
}

TEST_F(GuardTest, TwoAgentsInOneWorktreeAreTwo) {
  StartGuardian();
  const Identity one = Start("one");
  const Identity two = Start("two");
  EXPECT_EQ(one.worktree_path, two.worktree_path);
  folder_.Write("repo/work.txt", "of both\n");
  Kill(one);
  Kill(two);
  AwaitStatus("one", 2, AgentStatus::kAlive);
  AwaitStatus("two", 2, AgentStatus::kAlive);
  EXPECT_THAT(Incarnations("one"), ElementsAre("orchestrator-one#2"));
  EXPECT_THAT(Incarnations("two"), ElementsAre("orchestrator-two#2"));
  EXPECT_GE(SnapshotsWith("one", "work.txt"), 1U);
  EXPECT_GE(SnapshotsWith("two", "work.txt"), 1U);
}

TEST_F(GuardTest, OnceDoesWhatIsDueAndEnds) {
  Spawn("login", {AgentScript("login",
                              "case $BELAY_AGENT_ID in *#1) echo work >work.txt; kill -9 "
                              "$$;; esac\n" +
                                  std::string(kWaits))});
  const RunOutcome outcome = Belay({"guard", "--once"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const Identity second = Present("login");
  EXPECT_TRUE(Is("login", 2, AgentStatus::kAlive));
  EXPECT_TRUE(Lives(second.process));
  EXPECT_GE(SnapshotsWith("login", "work.txt"), 1U);
}

TEST_F(GuardTest, OnceHasNothingToDoWhenAllIsWell) {
  const std::int64_t pid = Pid(Spawn("login", {AgentScript("login", kWaits)}));
  EXPECT_EQ(Belay({"guard", "--once"}).exit_code, 0);
  EXPECT_EQ(Present("login").process->pid, pid);
  EXPECT_TRUE(Is("login", 1, AgentStatus::kAlive));
}

TEST_F(GuardTest, ASecondGuardianIsRefusedAndNamesTheFirst) {
  const Process& first = StartGuardian();
  const RunOutcome second = Belay({"guard"});
  EXPECT_EQ(second.exit_code, 75);
  EXPECT_THAT(second.err,
              AllOf(HasSubstr("another guardian"), HasSubstr(std::to_string(first.pid()))));
  EXPECT_EQ(Belay({"guard", "--once"}).exit_code, 75);
  AwaitATurn();
}

TEST_F(GuardTest, ItEndsWithoutItsAgents) {
  Process& guardian = StartGuardian();
  const Identity agent = Start("login");
  EndGuardian(guardian);
  EXPECT_TRUE(Lives(agent.process));
  EXPECT_TRUE(Lives(agent.parent));
  EXPECT_THAT(Belay({"agents", "--all"}).out,
              AllOf(HasSubstr("guardian-main#1"), HasSubstr("terminated")));
}

TEST_F(GuardTest, ShowsItselfAmongTheAgents) {
  const Process& guardian = StartGuardian();
  const Json row = Agent("guardian-main#1");
  EXPECT_EQ(Pid(row), guardian.pid());
  EXPECT_EQ(Text(row, "status"), "alive");
  EXPECT_EQ(Text(row, "host"), "self");
}

TEST_F(GuardTest, LateWordsOfADeadIncarnationAreRefusedAndNoted) {
  StartGuardian();
  Kill(Start("login"));
  AwaitStatus("login", 2, AgentStatus::kAlive);
  const RunOptions late{.environment = {{"BELAY_AGENT_ID", "orchestrator-login#1"}}};
  const RunOutcome note = Belay({"hook", "note", "login", "too late"}, late);
  EXPECT_EQ(note.exit_code, 4) << note.out << note.err;
  const RunOutcome signal = Belay({"signal", "send", "NEEDS_INPUT", "--to", "guardian", "--payload",
                                   R"({"question":"which?"})"},
                                  late);
  EXPECT_EQ(signal.exit_code, 4) << signal.out << signal.err;
  EXPECT_THAT(Belay({"hook", "show", "login"}).out, Not(HasSubstr("too late")));
  EXPECT_THAT(Why("login"), AllOf(HasSubstr("a late note from orchestrator-login#1"),
                                  HasSubstr("a late NEEDS_INPUT from orchestrator-login#1")));
  EXPECT_TRUE(Is("login", 2, AgentStatus::kAlive));
}

TEST_F(GuardTest, AnAgentThatAsksForInputWaits) {
  StartGuardian();
  Spawn("login", {AgentScript("login", "\"" + BelayBinary() +
                                           "\" signal send NEEDS_INPUT --to guardian "
                                           "--payload '{\"question\":\"which?\"}'\n" +
                                           std::string(kWaits))});
  AwaitStatus("login", 1, AgentStatus::kWaiting);
  EXPECT_EQ(Text(Agent("orchestrator-login#1"), "color"), "yellow");
  EXPECT_THAT(Why("login"), HasSubstr("it needs input"));
}

TEST_F(GuardTest, APersonMayHaveAnAgentEnded) {
  StartGuardian();
  const Identity agent = Start("login");
  const RunOutcome sent = Belay({"signal", "send", "KILL_ORCHESTRATOR", "--to", "guardian",
                                 "--payload", R"({"agent_id":"orchestrator-login#1"})"},
                                {.terminal_columns = 200});
  EXPECT_EQ(sent.exit_code, 0) << sent.out;
  AwaitStatus("login", 1, AgentStatus::kTerminated);
  EXPECT_EQ(Present("login").exit->cause, ExitCause::kStopped);
  EXPECT_FALSE(Lives(agent.process));
}

TEST_F(GuardTest, AnIncarnationThatIsNotTheCurrentOneIsNotEnded) {
  StartGuardian();
  Kill(Start("login"));
  AwaitStatus("login", 2, AgentStatus::kAlive);
  const RunOutcome sent = Belay({"signal", "send", "KILL_ORCHESTRATOR", "--to", "guardian",
                                 "--payload", R"({"agent_id":"orchestrator-login#1"})"},
                                {.terminal_columns = 200});
  EXPECT_EQ(sent.exit_code, 4);
  EXPECT_THAT(sent.out, HasSubstr("orchestrator-login#1 is not the current incarnation"));
  AwaitATurn();
  EXPECT_TRUE(Is("login", 2, AgentStatus::kAlive));
  EXPECT_FALSE(Present("login").intent);
}

TEST_F(GuardTest, AnAgentMayNotHaveAnotherOneEnded) {
  StartGuardian();
  Start("victim");
  const std::string answer = folder_ / "answer";
  Spawn("rogue",
        {AgentScript("rogue", "unset BELAY_AGENT_ID\n\"" + BelayBinary() +
                                  "\" signal send KILL_ORCHESTRATOR --to guardian --payload "
                                  "'{\"agent_id\":\"orchestrator-victim#1\"}'\necho $? >\"" +
                                  answer + "\"\n" + std::string(kWaits))});
  ASSERT_TRUE(Await([&] { return folder_.Read("answer").find('\n') != std::string::npos; }));
  EXPECT_EQ(folder_.Read("answer"), "4\n");
  AwaitATurn();
  EXPECT_TRUE(Is("victim", 1, AgentStatus::kAlive));
}

// It can't be told any more that it was no person.
TEST_F(GuardTest, ASenderThatHasEndedIsIgnored) {
  const Process& guardian = StartGuardian();
  Start("victim");
  ASSERT_TRUE(guardian.Signal(SIGSTOP).ok());
  const pid_t sender = fork();
  if (sender == 0) {
    const Signal kill{.type = SignalType::kKillOrchestrator,
                      .from = "person",
                      .to = "guardian",
                      .payload = MakeObject({{"agent_id", "orchestrator-victim#1"}})};
    const Json request = MakeObject({{"do", "signal"}, {"signal", ToJson(kill)}});
    auto socket = LineSocket::Connect(project_.GuardianSocket(), kBound);
    const bool sent =
        socket && socket->Send(WriteJson(ControlGreeting()) + "\n" + WriteJson(request) + "\n");
    _exit(sent ? 0 : 1);
  }
  EXPECT_EQ(Process::Open(sender)->Wait(), ExitStatus::Exited(0));
  ASSERT_TRUE(guardian.Signal(SIGCONT).ok());
  AwaitATurn();
  EXPECT_TRUE(Is("victim", 1, AgentStatus::kAlive));
  EXPECT_FALSE(Present("victim").intent);
}

}  // namespace
}  // namespace belay
