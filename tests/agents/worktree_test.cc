// Agents whose hooks aren't simply there: in a worktree that has no settings, and behind a script.

#include <gmock/gmock.h>

#include "agents/hooked_world.h"

namespace belay {
namespace {

using ::testing::HasSubstr;

class WorktreeScenario : public HookedWorld {
 protected:
  WorktreeScenario() { environment_["CLAUDE_CODE_MAX_RETRIES"] = "1"; }

  void BeginWithoutAgent() {
    SuperviseWithoutBackoff();
    ASSERT_NO_FATAL_FAILURE(InstallHooks());
    Play(script_);
    guardian_ = &StartGuardian();
  }
  std::string Shell(const std::string& prompt) {
    std::string line;
    for (const std::string& word : Command({prompt})) line += " '" + word + "'";
    return line + "\n";
  }

  ModelScript script_;
};

TEST_F(WorktreeScenario, HooksReachAnAgentInAWorktreeOfItsOwn) {
  script_.Step("writes").IfUserSays("make it").Once().RunsBash("echo made > made.txt");
  script_.Step("fails").Fails(429, "This request would exceed your rate limit.");
  ASSERT_NO_FATAL_FAILURE(BeginWithoutAgent());
  SpawnClaude("a", "make it", {"--new-worktree", "feature"});
  const Identity ended = AwaitStatus("a", 1, AgentStatus::kCrashed);
  EXPECT_EQ(ended.exit->cause, ExitCause::kRateLimit);
  EXPECT_FALSE(ended.session_id.empty());
  EXPECT_THAT(WriteJson(*Hook("a").Find("last_actions")), HasSubstr("echo made"));
  EXPECT_EQ(folder_.Read("repo.worktrees/orchestrator-a/.claude"), "(missing)");
}

TEST_F(WorktreeScenario, EachProgramThatAScriptRunsReports) {
  script_.Step("first").IfUserSays("the first").Says("Done.");
  script_.Step("second").IfUserSays("the second").Once().RunsBash("echo two > two.txt");
  script_.Step("fails").Fails(429, "This request would exceed your rate limit.");
  ASSERT_NO_FATAL_FAILURE(BeginWithoutAgent());
  Spawn("a", {AgentScript("a", Shell("the first") + Shell("the second") + "exit $?\n")});
  const Identity ended = AwaitStatus("a", 1, AgentStatus::kCrashed);
  EXPECT_EQ(ended.exit->cause, ExitCause::kRateLimit);
  EXPECT_THAT(WriteJson(*Hook("a").Find("last_actions")), HasSubstr("echo two"));
}

}  // namespace
}  // namespace belay
