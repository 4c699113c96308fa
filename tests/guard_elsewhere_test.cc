// Records that were made elsewhere, or by a clock that was set since: on another machine, hours
// ahead, hours ago.

#include "app/agent_end.h"
#include "guard_sandbox.h"

namespace belay {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

using std::chrono::hours;

class GuardElsewhereTest : public GuardSandbox {
 protected:
  // Changes what is recorded of an agent, as if it had been recorded so.
  void Rewrite(const std::string& name, const std::function<void(Identity&)>& change) {
    Identity agent = Present(name);
    change(agent);
    const Result<IdentityLock> lock = IdentityLedger::Lock(files_, project_);
    ASSERT_TRUE(lock.ok());
    ASSERT_TRUE(identities_.Record(*lock, {"alive", "", agent}).ok());
  }
  static void OfAnotherMachine(Identity& agent) { agent.lease.Set("machine", "0123456789abcdef"); }
  // What the clock said when it was wrong by so much.
  static void Shift(Identity& agent, Duration by) {
    agent.created_at += by;
    agent.last_seen += by;
    if (agent.started_at) *agent.started_at += by;
    if (agent.last_activity) *agent.last_activity += by;
    if (agent.exit) agent.exit->at += by;
    if (agent.restart.due) *agent.restart.due += by;
    for (WallTime& crash : agent.restart.crashes) crash += by;
  }
  // One that crashed without a guardian, and is recorded as that; its successor stays.
  void Fall(const std::string& name) {
    SpawnToEnd(name, {AgentScript(name, "case $BELAY_AGENT_ID in *#1) exit 1;; esac\n" +
                                            std::string(kWaits))});
    ASSERT_EQ(Belay({"release", name}).exit_code, 0);
    ASSERT_TRUE(Is(name, 1, AgentStatus::kCrashed));
  }
};

TEST_F(GuardElsewhereTest, AgentsOfAnotherMachineAreNeitherTakenForOursNorRestarted) {
  const std::int64_t pid = Pid(Spawn("runs", {AgentScript("runs", kWaits)}));
  Fall("due");
  // Everything fits but the machine, even a process that has the pid.
  Rewrite("runs", OfAnotherMachine);
  Rewrite("due", OfAnotherMachine);
  StartGuardian();
  AwaitATurn();
  EXPECT_THAT(Why("runs"), AllOf(HasSubstr("another machine"), Not(HasSubstr("runs#2"))));
  EXPECT_TRUE(Is("due", 1, AgentStatus::kCrashed)) << Why("due");
  EXPECT_THAT(Incarnations("runs"), ElementsAre("orchestrator-runs#1"));
  EXPECT_THAT(Incarnations("due"), ElementsAre());
  const Result<Process> bystander = Process::Open(static_cast<pid_t>(pid));
  ASSERT_TRUE(bystander.ok());
  EXPECT_FALSE(EndsWithin(*bystander, Duration::zero()));
  (void)bystander->Signal(SIGKILL);
}

TEST_F(GuardElsewhereTest, AClockThatWasSetBackDelaysNoRestartAndMakesNoAgentSuspect) {
  Supervise({"heartbeat: 1s", "silent_after: 1h"});
  Spawn("runs", {AgentScript("runs", kWaits)});
  Fall("due");
  const Identity before = Present("runs");
  Rewrite("runs", [](Identity& agent) { Shift(agent, hours(10)); });
  Rewrite("due", [](Identity& agent) { Shift(agent, hours(10)); });
  StartGuardian();
  AwaitStatus("due", 2, AgentStatus::kAlive);
  EXPECT_TRUE(Is("runs", 1, AgentStatus::kAlive)) << Why("runs");
  EXPECT_EQ(Present("runs").process, before.process);
  Kill(before);
  AwaitStatus("runs", 2, AgentStatus::kAlive);
}

TEST_F(GuardElsewhereTest, AClockThatWasSetForwardMakesNoAgentSuspect) {
  Supervise({"heartbeat: 1s", "silent_after: 1h"});
  Spawn("runs", {AgentScript("runs", kWaits)});
  const Identity before = Present("runs");
  Rewrite("runs", [](Identity& agent) { Shift(agent, -hours(10)); });
  StartGuardian();
  ASSERT_TRUE(Await([&] { return Present("runs").last_seen > before.last_seen; })) << Why("runs");
  EXPECT_TRUE(Is("runs", 1, AgentStatus::kAlive)) << Why("runs");
  EXPECT_EQ(Present("runs").process, before.process);
  Kill(before);
  AwaitStatus("runs", 2, AgentStatus::kAlive);
}

}  // namespace
}  // namespace belay
