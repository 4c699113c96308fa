// What an attacker tries.

#include <gmock/gmock.h>
#include <unistd.h>

#include "guard_sandbox.h"
#include "testing/places.h"

namespace belay {
namespace {

using ::testing::HasSubstr;

class GuardAttackedTest : public GuardSandbox {};

TEST_F(GuardAttackedTest, WhatADeadAgentLeftIsKeptBeforeAnotherOneStartsInItsPlace) {
  Spawn("login", {AgentScript("login", "echo precious >work.txt\n" + std::string(kWaits))});
  ASSERT_TRUE(Await([&] { return folder_.Read("repo/work.txt") == "precious\n"; }));
  Kill(Present("login"));
  AwaitEnd("repo", "login");
  Spawn("login", {AgentScript("login", "echo new >work.txt\n" + std::string(kWaits))});
  ASSERT_TRUE(Await([&] { return folder_.Read("repo/work.txt") == "new\n"; }));
  const std::string into = folder_ / "restored";
  const RunOutcome restored =
      Belay({"snapshot", "restore", "agent-orchestrator-login/1", "--into", into});
  ASSERT_EQ(restored.exit_code, 0) << restored.err;
  EXPECT_EQ(folder_.Read("restored/work.txt"), "precious\n");
}

TEST_F(GuardAttackedTest, AnAgentCannotUndoAStop) {
  StartGuardian();
  Start("victim");
  ASSERT_EQ(Belay({"stop", "victim", "--now"}).exit_code, 0);
  Spawn("rogue", {AgentScript("rogue", "\"" + BelayBinary() +
                                           "\" spawn --name victim -- sleep 600\n"
                                           "echo $? >\"" +
                                           (folder_ / "answer") + "\"\n" + std::string(kWaits))});
  ASSERT_TRUE(Await([&] { return folder_.Read("answer").find('\n') != std::string::npos; }));
  EXPECT_EQ(folder_.Read("answer"), "4\n");
  EXPECT_TRUE(Is("victim", 1, AgentStatus::kTerminated));
}

TEST_F(GuardAttackedTest, AGuardianWhoseLockWasRemovedMakesRoomForTheNext) {
  Supervise({"heartbeat: 1s"});
  Process& first = StartGuardian();
  const Identity agent = Start("login");
  ASSERT_EQ(unlink(project_.GuardianLock().c_str()), 0);
  Process& second = StartGuardian();
  EXPECT_EQ(first.Wait(), ExitStatus::Exited(0));
  EXPECT_TRUE(Lives(agent.process));
  Kill(agent);
  AwaitStatus("login", 2, AgentStatus::kAlive);
  EndGuardian(second);
}

TEST_F(GuardAttackedTest, AFolderThatIsGoneIsReported) {
  const RunOutcome outcome =
      RunReal({"sh", "-c",
               "mkdir gone && cd gone && rmdir ../gone && exec \"" + BelayBinary() + "\" agents"},
              {.folder = folder_.path()});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("the current folder no longer exists"));
}

}  // namespace
}  // namespace belay
