// Sessions that a user started by hand, with belay's hooks installed.

#include "hook_sandbox.h"

namespace belay {
namespace {

class ExternalSessionTest : public HookSandbox {
 protected:
  ExternalSessionTest() {
    auto process =
        Process::Spawn({.command = {"sh", "-c", "export CLAUDE_PID=$$\n" + TellingScript()},
                        .folder = folder_ / "repo"});
    EXPECT_TRUE(process.has_value());
    session_ = *std::move(process);
  }
  ~ExternalSessionTest() override { End(); }

  void End() {
    if (!session_ || session_->TryWait()) return;
    (void)session_->Signal(SIGKILL);
    (void)session_->Wait();
  }
  void TellOfIt(const std::string& event, const std::string& more = "") {
    Tell(event, R"({"session_id":"ABCD1234-5678-9abc-0000-000000000000","cwd":")" +
                    (folder_ / "repo") + "\"" + more + "}");
  }
  Json Row() { return Agent("external-abcd12345678#1"); }

  std::optional<Process> session_;
};

// Only the process that started a hook can be the agent of that hook.
TEST_F(ExternalSessionTest, AProcessThatDidNotStartTheHookIsNotBelieved) {
  const std::string input = R"({"session_id":"feedfeedfeed","cwd":")" + (folder_ / "repo") + "\"}";
  for (const std::string& pid : {std::string("1"), std::to_string(session_->pid())}) {
    TellFromOutside("", "SessionStart", input, {{"CLAUDE_PID", pid}});
  }
  EXPECT_TRUE(Agents(true).AsArray()->empty());
}

TEST_F(ExternalSessionTest, IsRegisteredByItselfAlsoWithoutAGuardian) {
  TellOfIt("SessionStart", R"(,"source":"startup")");
  ASSERT_TRUE(Await([&] { return Text(Row(), "status") == "alive"; }));
  const Json row = Row();
  EXPECT_EQ(Text(row, "host"), "external");
  EXPECT_EQ(Pid(row), session_->pid());
  EXPECT_EQ(Text(row, "worktree_path"), folder_ / "repo");
  TellOfIt("SessionStart");
  EXPECT_EQ(Agents(true).AsArray()->size(), 1U) << "once";
}

TEST_F(ExternalSessionTest, IsObservedAndKeptAndNeverRespawned) {
  StartGuardian();
  TellOfIt("PreToolUse", R"(,"tool_name":"Edit","tool_input":{"file_path":"a"})");
  const auto phase = [&] {
    const Result<Json> hook =
        ParseJson(folder_.Read("repo/.claude/state/hooks/external-abcd12345678.json"));
    return hook ? Text(*hook, "work_phase") : std::string("(no hook)");
  };
  ASSERT_TRUE(Await([&] { return phase() == "implementation"; })) << phase();
  for (const char* command : {"stop", "release", "logs"}) {
    const RunOutcome refused = Belay({command, "external-abcd12345678"});
    EXPECT_NE(refused.exit_code, 0) << command;
    EXPECT_THAT(refused.err, ::testing::HasSubstr("was not started by belay")) << command;
  }
  folder_.Write("repo/by-hand.txt", "work\n");
  End();
  ASSERT_TRUE(Await([&] { return Text(Row(), "status") == "crashed"; }));
  ASSERT_TRUE(Await([&] { return SnapshotsWith("external-abcd12345678", "by-hand.txt") > 0; }));
  AwaitATurn();
  EXPECT_EQ(Text(Row(), "status"), "crashed");
  EXPECT_EQ(Text(Agent("external-abcd12345678#2"), "status"), "(none)");
}

TEST_F(ExternalSessionTest, IsAnAgentAndNeitherAPersonNorAnotherAgent) {
  StartGuardian();
  Start("other");
  TellOfIt("SessionStart", R"(,"source":"startup")");
  ASSERT_TRUE(Await([&] { return Text(Row(), "status") == "alive"; }));
  const auto run = [&](const std::string& line) {
    return Tell("run", fmt::format("belay() {{ '{}' \"$@\"; }}\ncd '{}'\n{}\necho code $?\n",
                                   BelayBinary(), folder_ / "repo", line));
  };
  for (const char* line : {"belay snapshot prune --keep 1", "belay merge-queue protect",
                           "belay stop other", "belay hook note other x",
                           "belay spawn --continue --name other", "belay signal wait person"}) {
    const std::string said = run(line);
    EXPECT_THAT(said, ::testing::HasSubstr("external-abcd12345678#1 may not")) << line;
    EXPECT_THAT(said, ::testing::HasSubstr("code 4")) << line;
  }
  EXPECT_THAT(run("BELAY_AGENT_ID=orchestrator-other#1; export BELAY_AGENT_ID\n"
                  "belay hook note other x"),
              ::testing::HasSubstr("an agent may only act for itself"));
  EXPECT_THAT(run("belay hook note external-abcd12345678 mine"), ::testing::HasSubstr("code 0"));
  EXPECT_THAT(run("belay signal send NEEDS_REVIEW --to person"), ::testing::HasSubstr("code 0"));
}

TEST_F(ExternalSessionTest, OneThatSaidGoodbyeHasEndedAsItWasMeantTo) {
  StartGuardian();
  TellOfIt("SessionStart");
  ASSERT_TRUE(Await([&] { return Text(Row(), "status") == "alive"; }));
  TellOfIt("SessionEnd", R"(,"reason":"other")");
  End();
  EXPECT_TRUE(Await([&] { return Text(Row(), "status") == "terminated"; }));
}

}  // namespace
}  // namespace belay
