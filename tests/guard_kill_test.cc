// The guardian killed at random moments, paused, and made to wait for those that are silent.

#include "guard_sandbox.h"
#include "os/random.h"

namespace belay {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Everything here takes its time, or is done many times.
class GuardKillTest : public GuardSandbox {
 protected:
  // So long, by purpose: what happens in that time is tested.
  void LetPass(Duration time) {
    auto loop = RealEventLoop::Create();
    (*loop)->StartTimer(time, [&] { (*loop)->Stop(); });
    (*loop)->Run();
  }
  Identity AwaitLater(const std::string& name, std::uint32_t incarnation) {
    EXPECT_TRUE(Await([&] {
      const Identity present = Present(name);
      return present.id.incarnation() > incarnation && present.status == AgentStatus::kAlive;
    })) << Why(name);
    return Present(name);
  }
};

TEST_F(GuardKillTest, AGuardianKilledAtAnyMomentOfARespawnLeavesOneIncarnation) {
  SuperviseWithoutBackoff();
  Process* guardian = &StartGuardian();
  Identity agent = Start("login");
  SystemRandom random;
  for (int round = 0; round < 10; ++round) {
    Kill(agent);
    LetPass(std::chrono::microseconds(random.Next64() % 150'000));
    KillGuardian(*guardian);
    guardian = &StartGuardian();
    agent = AwaitLater("login", agent.id.incarnation());
    AwaitATurn();
    EXPECT_THAT(Incarnations("login"), ElementsAre(Present("login").id.text()));
    agent = Present("login");
    ASSERT_TRUE(Lives(agent.process));
  }
}

TEST_F(GuardKillTest, APausedGuardianCatchesUpAndMakesNoAgentSuspect) {
  Supervise({"heartbeat: 1s", "silent_after: 3s"});
  Process& guardian = StartGuardian();
  const Identity one = Start("one");
  const Identity two = Start("two");
  const Identity silent = Start("silent");
  ASSERT_TRUE(guardian.Signal(SIGSTOP).ok());
  Kill(one);
  Kill(two);
  LetPass(std::chrono::seconds(5));
  const WallTime resumed = clock_.Wall();
  ASSERT_TRUE(guardian.Signal(SIGCONT).ok());
  AwaitStatus("one", 2, AgentStatus::kAlive);
  AwaitStatus("two", 2, AgentStatus::kAlive);
  // It is silent, and so in time becomes suspect; but the pause doesn't count.
  AwaitStatus("silent", 1, AgentStatus::kSuspect);
  EXPECT_GE(clock_.Wall() - resumed, std::chrono::milliseconds(2900));
  EXPECT_EQ(Present("silent").process, silent.process);
}

TEST_F(GuardKillTest, ASilentAgentIsSuspectUntilItDoesSomething) {
  Supervise({"heartbeat: 1s", "silent_after: 1s"});
  ASSERT_EQ(RunReal({"mkfifo", folder_ / "input"}).exit_code, 0);
  StartGuardian();
  const Identity agent = Start("login", "while :; do read -r line <\"" + folder_.path() +
                                            "/input\"; echo \"heard $line\"; done\n");
  AwaitStatus("login", 1, AgentStatus::kSuspect);
  ASSERT_EQ(RunReal({"sh", "-c", "echo hello >\"$0\"", folder_ / "input"}).exit_code, 0);
  AwaitStatus("login", 1, AgentStatus::kAlive);
  EXPECT_EQ(Present("login").process, agent.process);
  EXPECT_THAT(Why("login"), AllOf(HasSubstr("no activity for"), HasSubstr("it is active again")));
}

TEST_F(GuardKillTest, AHungAgentIsOnlyReportedUnlessTheSettingsSayMore) {
  Supervise({"heartbeat: 1s", "silent_after: 1s"});
  StartGuardian();
  const Identity agent = Start("login");
  ASSERT_TRUE(Await([&] { return GuardianSaid().find("please check it") != std::string::npos; }));
  EXPECT_TRUE(Lives(agent.process));
  EXPECT_THAT(
      Belay({"signal", "wait", "person", "--type", "ORCHESTRATOR_STUCK", "--timeout", "30s"}).out,
      HasSubstr("ORCHESTRATOR_STUCK"));
  EXPECT_TRUE(Is("login", 1, AgentStatus::kSuspect));
}

TEST_F(GuardKillTest, AHungAgentIsEndedAndRestartedIfTheSettingsSaySo) {
  Supervise({"heartbeat: 1s", "silent_after: 1s", "on_hung: respawn", "stop_grace: 200ms"});
  StartGuardian();
  const Identity agent = Start("login",
                               "case $BELAY_AGENT_ID in *#1) trap '' TERM;; *) while :; do echo "
                               "busy; sleep 1; done;; esac\n" +
                                   std::string(kWaits));
  AwaitStatus("login", 2, AgentStatus::kAlive);
  EXPECT_EQ(Before("login").exit->cause, ExitCause::kHung);
  EXPECT_FALSE(Lives(agent.process));
}

}  // namespace
}  // namespace belay
