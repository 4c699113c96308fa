// What the commands about agents say of the guardian, and with it.

#include <gmock/gmock.h>
#include <sys/wait.h>

#include "guard_sandbox.h"
#include "ledger/family_table.h"

namespace belay {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class AgentsGuardedTest : public GuardSandbox {
 protected:
  // At a moment at which it holds no lock that others need.
  void Halt(Process& guardian) {
    for (int tries = 0; tries < 1000; ++tries) {
      ASSERT_TRUE(guardian.Signal(SIGSTOP).ok());
      AwaitState(guardian, WSTOPPED);
      if (LocksAreFree()) return;
      ASSERT_TRUE(guardian.Signal(SIGCONT).ok());
      AwaitState(guardian, WCONTINUED);
    }
    FAIL() << "it never lets go of its locks";
  }
  static bool IsTrue(const Json& record, std::string_view key) {
    const Json* value = record.Find(key);
    return value != nullptr && value->AsBool() != nullptr && *value->AsBool();
  }
  bool IsGuarded(const std::string& name) {
    const Json why = BelayJson({"why", name});
    const Json* now = why.Find("now");
    return now != nullptr && IsTrue(*now, "guarded");
  }

 private:
  static void AwaitState(const Process& process, int state) {
    siginfo_t seen{};
    ASSERT_EQ(waitid(P_PID, static_cast<id_t>(process.pid()), &seen, state), 0);
  }
  bool LocksAreFree() {
    constexpr auto kAtOnce = std::chrono::milliseconds(1);
    return std::ranges::all_of(Families(), [&](const Family& family) {
      return LockJournal(files_, project_, family.journal, kAtOnce).ok();
    });
  }
};

TEST_F(AgentsGuardedTest, AGuardianThatIsHaltedAndLostItsSocketStillRuns) {
  Process& guardian = StartGuardian();
  Halt(guardian);
  EXPECT_THAT(Text(Agent("guardian-main#1"), "reason"), HasSubstr("kill -CONT"));
  ASSERT_EQ(unlink(project_.GuardianSocket().c_str()), 0);
  const Json spawned = Spawn("login");
  EXPECT_TRUE(IsTrue(spawned, "guarded"));
  EXPECT_THAT(Belay({"spawn", "--name", "other", "--", "sleep", "600"}).err,
              Not(HasSubstr("no guardian")));
  EXPECT_TRUE(IsGuarded("login"));
  KillGuardian(guardian);
  EXPECT_FALSE(IsGuarded("login"));
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
