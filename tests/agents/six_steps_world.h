// A job of six steps for the real Claude Code. It is killed in the third; a successor that knows
// how far the work is does the rest, and one that doesn't begins with the first step again.

#ifndef BELAY_TESTS_AGENTS_SIX_STEPS_WORLD_H_
#define BELAY_TESTS_AGENTS_SIX_STEPS_WORLD_H_

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "agents/hooked_world.h"

namespace belay {

class SixStepsWorld : public HookedWorld {
 protected:
  SixStepsWorld() : script_(ScriptIn(".")) {
    const std::string program = ClaudeProgram();
    environment_["PATH"] = program.substr(0, program.rfind('/')) + ":" + getenv("PATH");
  }
  static constexpr std::string_view kJob = "do the six steps";
  static constexpr std::string_view kFirstWords = "I begin with the pears.";  // of the conversation

  // `project`: as seen from where the agent works.
  static std::string StepCommand(int step, const std::string& project) {
    return fmt::format("(cd {1}; echo {0} >>steps.txt); echo step {0} is done", step, project);
  }
  static ModelScript ScriptIn(const std::string& project) {
    ModelScript script;
    // Other calls of a script.
    script.Step("plans").IfUserSays("make a plan").Says("The plan is made.");
    script.Step("sums up").IfUserSays("sum it up").Says("That is all.");
    // A model that knows how far the work is does the rest; one that is only given the job begins
    // with the first step.
    script.Step("goes on").IfAnywhere(kContinuation).Once().RunsBash(StepCommand(4, project));
    script.Step("five").IfUserSays("step 4 is done").RunsBash(StepCommand(5, project));
    script.Step("six").IfUserSays("step 5 is done").RunsBash(StepCommand(6, project));
    script.Step("ends").IfUserSays("step 6 is done").Says("All done.");
    script.Step("one").IfUserSays(kJob).Says(kFirstWords).RunsBash(StepCommand(1, project));
    script.Step("two").IfUserSays("step 1 is done").RunsBash(StepCommand(2, project));
    script.Step("three")
        .IfUserSays("step 2 is done")
        .RunsBash(fmt::format("cd {}; echo 3 >>steps.txt; echo $$ >tool.pid; sleep 600", project));
    return script;
  }
  static std::vector<std::string> Claude() {
    return {"claude", "-p", std::string(kJob), "--dangerously-skip-permissions"};
  }
  void SpawnUpToStepThree(const std::vector<std::string>& command) {
    SuperviseWithoutBackoff();
    Play(script_);
    StartGuardian();
    Spawn("a", command);
    ASSERT_TRUE(AwaitFile("tool.pid"));
    ASSERT_TRUE(AwaitWritten("sleep 600"));
  }
  void SpawnAndKill(const std::vector<std::string>& command) {
    ASSERT_NO_FATAL_FAILURE(SpawnUpToStepThree(command));
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
    EXPECT_THAT(Why("a"), ::testing::HasSubstr("in the same conversation"));
  }
  void ExpectNewConversation() {
    const Json request = ExpectEachStepOnce();
    EXPECT_FALSE(ModelLog::Tells(request, kFirstWords));
    EXPECT_TRUE(ModelLog::Tells(request, kJob));
    EXPECT_EQ(TranscriptPaths(ConfigFolder()).size(), 2U);
  }

  ModelScript script_;
};

}  // namespace belay

#endif  // BELAY_TESTS_AGENTS_SIX_STEPS_WORLD_H_
