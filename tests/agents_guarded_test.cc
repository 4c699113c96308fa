// What the commands about agents say of the guardian, and with it.

#include <gmock/gmock.h>
#include <sys/wait.h>

#include "guard_sandbox.h"

namespace belay {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class AgentsGuardedTest : public GuardSandbox {};

TEST_F(AgentsGuardedTest, AGuardianThatIsHaltedAndLostItsSocketStillRuns) {
  Process& guardian = StartGuardian();
  ASSERT_TRUE(guardian.Signal(SIGSTOP).ok());
  siginfo_t halted{};
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(guardian.pid()), &halted, WSTOPPED | WNOWAIT), 0);
  EXPECT_THAT(Text(Agent("guardian-main#1"), "reason"), HasSubstr("kill -CONT"));
  ASSERT_EQ(unlink(project_.GuardianSocket().c_str()), 0);
  const Json spawned = Spawn("login");
  EXPECT_EQ(*spawned.Find("guarded")->AsBool(), true);
  EXPECT_THAT(Belay({"spawn", "--name", "other", "--", "sleep", "600"}).err,
              Not(HasSubstr("no guardian")));
  EXPECT_EQ(*BelayJson({"why", "login"}).Find("now")->Find("guarded")->AsBool(), true);
  KillGuardian(guardian);
  EXPECT_EQ(*BelayJson({"why", "login"}).Find("now")->Find("guarded")->AsBool(), false);
}

TEST_F(AgentsGuardedTest, AProgramThatVanishedIsNamedInEveryEnd) {
  Supervise({"most_crashes: 4", "first_backoff: 10ms", "longest_backoff: 10ms"});
  StartGuardian();
  const Identity agent = Start("login");
  ASSERT_EQ(unlink((folder_ / "login-agent.sh").c_str()), 0);
  Kill(agent);
  AwaitStatus("login", 4, AgentStatus::kQuarantined);
  EXPECT_THAT(Text(Agent("orchestrator-login#4"), "reason"),
              HasSubstr("could not be started: exec " + (folder_ / "login-agent.sh")));
  EXPECT_THAT(Why("login"), Not(HasSubstr("exit code 127")));
  EXPECT_THAT(Belay({"agents"}).out, HasSubstr("; 4 crashes within 15m; belay release"));
}

}  // namespace
}  // namespace belay
