// A worker suspends its own task by command, and another worker finishes the work.

#include <gmock/gmock.h>

#include "agents/claude_world.h"

namespace belay {
namespace {

using ::testing::HasSubstr;

using TaskScenario = ClaudeWorld;

TEST_F(TaskScenario, AWorkerSuspendsItselfAndAnotherOneCompletesTheWork) {
  const std::string belay = BelayBinary();
  ModelScript script;
  script.Step("half")
      .IfUserSays("write both parts")
      .UnlessAnywhere("RE-ANCHOR")
      .Once()
      .RunsBash("echo one > part1.txt && echo 'part 2 is missing' > ../state.md && " + belay +
                " task suspend t1 --reason turn_limit --last-action 'part 1 is done' "
                "--state-file ../state.md && echo suspended it");
  script.Step("stops").IfUserSays("suspended it").Once().Says("I stop here.");
  script.Step("rest")
      .IfAnywhere("RE-ANCHOR")
      .Once()
      .RunsBash("cat part1.txt && echo two > part2.txt && " + belay +
                " task done t1 && echo finished it");
  script.Step("end").Says("Done.");
  Play(script);
  (void)StartGuardian();
  ASSERT_EQ(Belay({"task", "add", "write both parts"}).exit_code, 0);

  SpawnClaude("a", "write both parts", {"--task", "t1", "--no-respawn"});
  EXPECT_EQ(AwaitStatus("a", 1, AgentStatus::kTerminated).exit->code, 0);
  EXPECT_THAT(Belay({"task", "list"}).out, HasSubstr("suspended"));
  EXPECT_EQ(folder_.Read("repo/part1.txt"), "(missing)") << "the worktree is clean";

  SpawnClaude("b", "write both parts", {"--task", "t1", "--no-respawn"});
  EXPECT_EQ(AwaitStatus("b", 1, AgentStatus::kTerminated).exit->code, 0);
  EXPECT_TRUE(Model().WasSent("part 2 is missing"));
  EXPECT_TRUE(Model().WasSent("part 1 is done"));
  EXPECT_EQ(folder_.Read("repo/part1.txt"), "one\n");
  EXPECT_EQ(folder_.Read("repo/part2.txt"), "two\n");
  EXPECT_THAT(Belay({"task", "list"}).out, HasSubstr("completed"));
}

}  // namespace
}  // namespace belay
