// Agents that a user starts by hand, without belay, in a project with its hooks: they are seen,
// and their work is kept; they are never ended and never started again.

#include <gmock/gmock.h>

#include "agents/hooked_world.h"

namespace belay {
namespace {

class ExternalScenario : public HookedWorld {
 protected:
  void BeginByHand() {
    ModelScript script;
    script.Step("writes").IfUserSays("make it").Once().Writes(Project("made.txt"), "by hand\n");
    script.Step("waits")
        .IfUserSays("made.txt")
        .Once()
        .RunsBash("echo $$ > tool.pid; until [ -e go ]; do sleep 0.1; done; echo it may go on");
    script.Step("ends").IfUserSays("it may go on").Says("All done.");
    ASSERT_NO_FATAL_FAILURE(InstallHooks());
    Play(script);
    StartGuardian();
    claude_ = &StartClaude({"make it"});
    ASSERT_TRUE(AwaitFile("tool.pid"));
  }
  // The row of the one that was started by hand.
  Json External() {
    const Json agents = Agents(true);
    for (const Json& agent : *agents.AsArray()) {
      if (Text(agent, "host") == "external") return agent;
    }
    return {};
  }
  bool AwaitExternal(std::string_view key, std::string_view value) {
    return Await([&] { return Text(External(), key) == value; });
  }
  void ExpectSeen() {
    ASSERT_TRUE(AwaitExternal("work_phase", "implementation"));
    const Json row = External();
    EXPECT_EQ(Text(row, "status"), "alive");
    EXPECT_EQ(Text(row, "agent_kind"), "claude");
    EXPECT_EQ(Pid(row), claude_->pid());
    EXPECT_EQ(*row.Find("incarnation"), Json(1));
  }
  // It ended so, its work is kept, and no successor follows.
  void ExpectEnded(std::string_view status) {
    ASSERT_TRUE(AwaitExternal("status", status));
    const std::string name = Text(External(), "identity_name");
    EXPECT_TRUE(Await([&] { return SnapshotsWith(name, "made.txt") > 0; }));
    AwaitATurn();
    EXPECT_EQ(Text(External(), "status"), status);
    EXPECT_EQ(*External().Find("incarnation"), Json(1));
    EXPECT_TRUE(External().Find("due")->is_null());
  }

  Process* claude_ = nullptr;
};

TEST_F(ExternalScenario, IsSeenAndEndsByItself) {
  ASSERT_NO_FATAL_FAILURE(BeginByHand());
  ASSERT_NO_FATAL_FAILURE(ExpectSeen());
  folder_.Write("repo/go", "");
  EXPECT_EQ(Finish(*claude_).status, ExitStatus::Exited(0));
  ExpectEnded("terminated");
}

TEST_F(ExternalScenario, IsNotRestartedAfterAKill) {
  ASSERT_NO_FATAL_FAILURE(BeginByHand());
  ASSERT_NO_FATAL_FAILURE(ExpectSeen());
  ASSERT_TRUE(claude_->Signal(SIGKILL).ok());
  (void)claude_->Wait();
  ExpectEnded("crashed");
}

}  // namespace
}  // namespace belay
