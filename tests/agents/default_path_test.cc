// What a new user types, with the real Claude Code: no --agent. A job of six steps is killed in the
// third; the successor does the rest, and no step runs twice.

#include <gmock/gmock.h>

#include "agents/six_steps_world.h"
#include "host/launch.h"

namespace belay {
namespace {

using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class DefaultPathScenario : public SixStepsWorld {};

TEST_F(DefaultPathScenario, ClaudeRestartsInItsConversationAndRepeatsNothing) {
  ASSERT_NO_FATAL_FAILURE(InstallHooks());
  ASSERT_NO_FATAL_FAILURE(SpawnAndKill(Claude()));
  ExpectSameConversation();
  EXPECT_EQ(Before("a").kind_source, KindSource::kCommand);
}

TEST_F(DefaultPathScenario, ClaudeBehindEnvAndNiceRestartsToo) {
  ASSERT_NO_FATAL_FAILURE(InstallHooks());
  std::vector<std::string> command = {"env", "X=1", "nice"};
  for (const std::string& word : Claude()) command.push_back(word);
  ASSERT_NO_FATAL_FAILURE(SpawnAndKill(command));
  ExpectSameConversation();
}

TEST_F(DefaultPathScenario, ClaudeInAPlainShellLineRestartsToo) {
  ASSERT_NO_FATAL_FAILURE(InstallHooks());
  ASSERT_NO_FATAL_FAILURE(SpawnAndKill(
      {"sh", "-c", fmt::format("claude -p '{}' --dangerously-skip-permissions", kJob)}));
  ExpectSameConversation();
}

// The script gives its prompt again, so only the SessionStart hook can say that it goes on.
TEST_F(DefaultPathScenario, AWrapperScriptLearnsThatItContinues) {
  ASSERT_NO_FATAL_FAILURE(InstallHooks());
  const std::string script = AgentScript(
      "a", fmt::format("claude -p '{}' --dangerously-skip-permissions\nexit $?\n", kJob));
  ASSERT_NO_FATAL_FAILURE(SpawnAndKill({script}));
  ExpectNewConversation();
  EXPECT_TRUE(Model().WasSent("It is not a new task"));
  // Whichever was seen first.
  EXPECT_THAT(Before("a").kind_source, AnyOf(KindSource::kHooks, KindSource::kProcesses));
  EXPECT_THAT(Why("a"), HasSubstr("claude, not generic: "));
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
