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

}  // namespace
}  // namespace belay
