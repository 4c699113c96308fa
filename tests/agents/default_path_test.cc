// What a new user types, with the real Claude Code: no --agent. A job of six steps is killed in the
// third; the successor does the rest, and no step runs twice.

#include <gmock/gmock.h>

#include "agents/hooked_world.h"
#include "host/launch.h"

namespace belay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::string_view kJob = "do the six steps";
constexpr std::string_view kFirstWords = "I begin with the pears.";  // only in the conversation

class DefaultPathScenario : public HookedWorld {
 protected:
  DefaultPathScenario() {
    // A model that knows how far the work is does the rest; one that is only given the job begins
    // with the first step.
    script_.Step("goes on").IfAnywhere(kContinuation).Once().RunsBash(StepCommand(4));
    script_.Step("five").IfUserSays("step 4 is done").RunsBash(StepCommand(5));
    script_.Step("six").IfUserSays("step 5 is done").RunsBash(StepCommand(6));
    script_.Step("ends").IfUserSays("step 6 is done").Says("All done.");
    script_.Step("one").IfUserSays(kJob).Says(kFirstWords).RunsBash(StepCommand(1));
    script_.Step("two").IfUserSays("step 1 is done").RunsBash(StepCommand(2));
    script_.Step("three")
        .IfUserSays("step 2 is done")
        .RunsBash("echo 3 >>steps.txt; echo $$ >tool.pid; sleep 600");
    const std::string program = ClaudeProgram();
    environment_["PATH"] = program.substr(0, program.rfind('/')) + ":" + getenv("PATH");
  }
  static std::string StepCommand(int step) {
    return fmt::format("echo {0} >>steps.txt; echo step {0} is done", step);
  }
  static std::vector<std::string> Claude() {
    return {"claude", "-p", std::string(kJob), "--dangerously-skip-permissions"};
  }
  // Up to the middle of the third step, and the kill.
  void SpawnAndKill(const std::vector<std::string>& command) {
    SuperviseWithoutBackoff();
    Play(script_);
    StartGuardian();
    Spawn("a", command);
    ASSERT_TRUE(AwaitFile("tool.pid"));
    ASSERT_TRUE(AwaitWritten("sleep 600"));
    SignalAgent("a", SIGKILL);
  }
  Json ExpectEachStepOnce() {
    AwaitStatus("a", 2, AgentStatus::kTerminated);
    EXPECT_EQ(folder_.Read("repo/steps.txt"), "1\n2\n3\n4\n5\n6\n");
    const std::vector<Json> requests = Model().AnsweredBy("goes on");
    EXPECT_EQ(requests.size(), 1U);
    EXPECT_EQ(Present("a").agent_kind, AgentKind::kClaude);
    return requests.empty() ? Json() : requests[0];
  }
  void ExpectSameConversation() {
    EXPECT_TRUE(ModelLog::Tells(ExpectEachStepOnce(), kFirstWords));
    EXPECT_EQ(TranscriptPaths(ConfigFolder()).size(), 1U);
    EXPECT_THAT(Why("a"), HasSubstr("in the same conversation"));
  }
  void ExpectNewConversation() {
    const Json request = ExpectEachStepOnce();
    EXPECT_FALSE(ModelLog::Tells(request, kFirstWords));
    EXPECT_TRUE(ModelLog::Tells(request, kJob));
    EXPECT_EQ(TranscriptPaths(ConfigFolder()).size(), 2U);
  }

  ModelScript script_;
};

TEST_F(DefaultPathScenario, ClaudeComesBackInItsConversationAndRepeatsNothing) {
  ASSERT_NO_FATAL_FAILURE(InstallHooks());
  ASSERT_NO_FATAL_FAILURE(SpawnAndKill(Claude()));
  ExpectSameConversation();
  EXPECT_EQ(Before("a").kind_source, KindSource::kCommand);
}

TEST_F(DefaultPathScenario, ClaudeBehindEnvAndNiceComesBackToo) {
  ASSERT_NO_FATAL_FAILURE(InstallHooks());
  std::vector<std::string> command = {"env", "X=1", "nice"};
  for (const std::string& word : Claude()) command.push_back(word);
  ASSERT_NO_FATAL_FAILURE(SpawnAndKill(command));
  ExpectSameConversation();
}

TEST_F(DefaultPathScenario, ClaudeInAPlainShellLineComesBackToo) {
  ASSERT_NO_FATAL_FAILURE(InstallHooks());
  ASSERT_NO_FATAL_FAILURE(SpawnAndKill(
      {"sh", "-c", fmt::format("claude -p '{}' --dangerously-skip-permissions", kJob)}));
  ExpectSameConversation();
}

// The script gives its prompt again, so only the SessionStart hook can say that it goes on.
TEST_F(DefaultPathScenario, AWrapperScriptIsToldThatItContinues) {
  ASSERT_NO_FATAL_FAILURE(InstallHooks());
  const std::string script = AgentScript(
      "a", fmt::format("claude -p '{}' --dangerously-skip-permissions\nexit $?\n", kJob));
  ASSERT_NO_FATAL_FAILURE(SpawnAndKill({script}));
  ExpectNewConversation();
  EXPECT_TRUE(Model().WasTold("It is not a new task"));
  EXPECT_EQ(Before("a").kind_source, KindSource::kHooks);
  EXPECT_THAT(Why("a"), HasSubstr("claude, not generic: its hooks reported a session"));
  EXPECT_THAT(ReadLaunchSpec(files_, project_, Name("a"))->command, ElementsAre(script));
}

// Newer ones write down in which conversation a process is.
TEST_F(DefaultPathScenario, WithoutHooksASuccessorStillRepeatsNothing) {
  ASSERT_NO_FATAL_FAILURE(SpawnAndKill(Claude()));
  if (ClaudeIsAtLeast(2, 1)) return ExpectSameConversation();
  ExpectNewConversation();
}

}  // namespace
}  // namespace belay
