// The agent without belay: what the other scenarios build on.

#include <gmock/gmock.h>

#include "agents/claude_world.h"

namespace belay {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class PlainScenario : public ClaudeWorld {
 protected:
  // Up to the moment at which it waits for the model.
  Process& StartThinking() {
    ModelScript script;
    script.Step("thinks").IfUserSays("make it").Stalls();
    Play(script);
    RecordHooks({"SessionEnd"});
    Process& claude = StartClaude({"make it"});
    EXPECT_TRUE(AwaitAnswered("thinks", "stalled"));
    return claude;
  }
};

TEST_F(PlainScenario, WorksWithTheScriptedModel) {
  ModelScript script;
  script.Step("bash")
      .IfUserSays("make two files")
      .Once()
      .Says("I begin.")
      .RunsBash("echo 1 > one.txt && echo made one");
  script.Step("write").IfUserSays("made one").Once().Writes(Project("two.txt"), "2\n");
  script.Step("end").Says("All done.");
  Play(script);
  const ClaudeEnd end = RunClaude({"make two files"});
  EXPECT_EQ(end.status, ExitStatus::Exited(0)) << end.errors;
  EXPECT_THAT(end.out, HasSubstr("All done."));
  EXPECT_EQ(folder_.Read("repo/one.txt"), "1\n");
  EXPECT_EQ(folder_.Read("repo/two.txt"), "2\n");
  EXPECT_EQ(Model().AnsweredBy("bash").size(), 1U);
  EXPECT_EQ(Model().AnsweredBy("write").size(), 1U);
  EXPECT_TRUE(Model().WasSent("File created successfully"));
  EXPECT_THAT(KindsOf(LastTranscript()), ::testing::Contains("assistant/-"));
}

TEST_F(PlainScenario, EndsWhenItIsAskedTo) {
  Process& claude = StartThinking();
  ASSERT_TRUE(claude.Signal(SIGTERM).ok());
  EXPECT_EQ(Finish(claude).status, ExitStatus::Exited(143));
  EXPECT_EQ(HookInputs("SessionEnd").size(), 1U);
}

TEST_F(PlainScenario, AnInterruptLooksLikeACleanEnd) {
  Process& claude = StartThinking();
  ASSERT_TRUE(claude.Signal(SIGINT).ok());
  const ClaudeEnd end = Finish(claude);
  EXPECT_EQ(end.status, ExitStatus::Exited(0));
  EXPECT_THAT(end.out, Not(HasSubstr("\"subtype\":\"success\"")));
}

}  // namespace
}  // namespace belay
