// The agent under belay: it ends, it is killed, it is stopped.

#include <gmock/gmock.h>

#include "agents/claude_world.h"

namespace belay {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kContinuation = "You are a continuation of";

class GuardedScenario : public ClaudeWorld {
 protected:
  // What the successor does, whatever its predecessor was at: it makes one file and is done.
  static void AddSuccessor(ModelScript& script) {
    script.Step("goes on")
        .IfUserSays(kContinuation)
        .Once()
        .RunsBash("echo whole > whole.txt && echo whole was made");
    script.Step("ends").IfUserSays("whole was made").Says("All done.");
  }
  void Begin(const ModelScript& script) {
    SuperviseWithoutBackoff();
    Play(script);
    StartGuardian();
    SpawnClaude("a", "make it whole");
  }
  // The one that was killed came back, was informed of it, and finished the task.
  void ExpectFinishedBySuccessor() {
    AwaitStatus("a", 2, AgentStatus::kTerminated);
    EXPECT_EQ(folder_.Read("repo/whole.txt"), "whole\n");
    EXPECT_EQ(Model().AnsweredBy("goes on").size(), 1U);
    EXPECT_TRUE(Model().WasSent("make it whole"));
    EXPECT_EQ(Before("a").status, AgentStatus::kCrashed);
    EXPECT_THAT(Why("a"), HasSubstr("SIGKILL"));
  }
};

TEST_F(GuardedScenario, EndsCleanAndStaysEnded) {
  ModelScript script;
  script.Step("begins")
      .IfUserSays("make it whole")
      .Once()
      .RunsBash("echo whole > whole.txt && echo whole was made");
  script.Step("ends").IfUserSays("whole was made").Says("All done.");
  Begin(script);
  const Identity ended = AwaitStatus("a", 1, AgentStatus::kTerminated);
  EXPECT_EQ(folder_.Read("repo/whole.txt"), "whole\n");
  EXPECT_FALSE(Model().WasSent(kContinuation));
  AwaitATurn();
  EXPECT_TRUE(Is("a", 1, AgentStatus::kTerminated));
}

TEST_F(GuardedScenario, RestartsAfterAKillDuringATool) {
  ModelScript script;
  AddSuccessor(script);
  script.Step("begins")
      .IfUserSays("make it whole")
      .Once()
      .RunsBash("echo half > half.txt; echo $$ > tool.pid; sleep 600");
  Begin(script);
  ASSERT_TRUE(AwaitFile("tool.pid"));
  const Result<Process> tool = Process::Open(std::stoi(folder_.Read("repo/tool.pid")));
  ASSERT_TRUE(tool.ok());
  KillClaude("a");
  EXPECT_TRUE(EndsWithin(*tool, kBound)) << "the tool's shell outlived its agent";
  ExpectFinishedBySuccessor();
  EXPECT_GE(SnapshotsWith("a", "half.txt"), 1U);  // the one of the end may be there already
}

TEST_F(GuardedScenario, RestartsAfterAKillWhileTheModelThinks) {
  ModelScript script;
  AddSuccessor(script);
  script.Step("thinks").IfUserSays("make it whole").Once().Stalls();
  Begin(script);
  ASSERT_TRUE(AwaitAnswered("thinks", "stalled"));
  KillClaude("a");
  ExpectFinishedBySuccessor();
}

TEST_F(GuardedScenario, RestartsAfterAKillWithinAnAnswer) {
  ModelScript script;
  AddSuccessor(script);
  script.Step("speaks")
      .IfUserSays("make it whole")
      .Once()
      .Says("I'll make it whole, and then")
      .RunsBash("echo never > never.txt")
      .StallsAfter(6);
  Begin(script);
  ASSERT_TRUE(AwaitAnswered("speaks", "stalled"));
  KillClaude("a");
  ExpectFinishedBySuccessor();
  EXPECT_EQ(folder_.Read("repo/never.txt"), "(missing)");
}

TEST_F(GuardedScenario, AskedToStopItIsNotRestarted) {
  ModelScript script;
  AddSuccessor(script);
  script.Step("thinks").IfUserSays("make it whole").Once().Stalls();
  Begin(script);
  ASSERT_TRUE(AwaitAnswered("thinks", "stalled"));
  const RunOutcome stopped = Belay({"stop", "a"});
  EXPECT_EQ(stopped.exit_code, 0) << stopped.err;
  AwaitStatus("a", 1, AgentStatus::kTerminated);
  AwaitATurn();
  EXPECT_TRUE(Is("a", 1, AgentStatus::kTerminated));
  EXPECT_FALSE(Model().WasSent(kContinuation));
}

TEST_F(GuardedScenario, SurvivesAStreamThatIsCut) {
  ModelScript script;
  script.Step("breaks off")
      .IfUserSays("make it whole")
      .Once()
      .Says("I'll make it whole")
      .IsCutAfter(3);
  script.Step("begins")
      .IfUserSays("make it whole")
      .Once()
      .RunsBash("echo whole > whole.txt && echo whole was made");
  script.Step("ends").IfUserSays("whole was made").Says("All done.");
  Begin(script);
  AwaitStatus("a", 1, AgentStatus::kTerminated);
  EXPECT_TRUE(Model().Answered("breaks off", "cut"));
  EXPECT_EQ(folder_.Read("repo/whole.txt"), "whole\n");
}

}  // namespace
}  // namespace belay
