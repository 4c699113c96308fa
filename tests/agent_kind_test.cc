// The kind of an agent is found out: by its command, its hooks, its processes. Here the agents are
// scripts; the real Claude Code is in tests/agents/default_path_test.cc.

#include <gmock/gmock.h>

#include <filesystem>

#include "hook_sandbox.h"
#include "host/launch.h"

namespace belay {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kStart = R"({"session_id":"s1","source":"startup"})";

class AgentKindTest : public HookSandbox {
 protected:
  // A program of that name that writes down its arguments, a line for each, and waits.
  std::string Program(const std::string& name) {
    folder_.Write("bin/" + name, "#!/bin/sh\nprintf '%s\\n' \"$#\" \"$@\" >'" +
                                     (folder_ / "words.tmp") + "'\nmv '" + (folder_ / "words.tmp") +
                                     "' '" + (folder_ / "words") + "'\n" + std::string(kWaits));
    EXPECT_EQ(chmod((folder_ / ("bin/" + name)).c_str(), 0755), 0);
    return folder_ / ("bin/" + name);
  }
  std::string KindOf(const std::string& name) {
    const Identity present = Present(name);
    return std::string(AgentKindName(present.agent_kind)) + " by " +
           std::string(KindSourceName(present.kind_source));
  }
  bool AwaitKind(const std::string& name, const std::string& kind) {
    return Await([&] { return KindOf(name) == kind; });
  }
  std::vector<std::string> Command(const std::string& name) {
    return ReadLaunchSpec(files_, project_, Name(name))->command;
  }
};

TEST_F(AgentKindTest, TheCommandDecides) {
  const std::string claude = Program("claude");
  Spawn("a", {claude, "-p", "x"});
  EXPECT_EQ(KindOf("a"), "claude by command");
  Spawn("b", {"env", "X=1", "nice", "-n", "5", claude});
  EXPECT_EQ(KindOf("b"), "claude by command");
  Spawn("c", {Program("claude-lint"), "claude"});
  EXPECT_EQ(KindOf("c"), "generic by command");
  Spawn("d", {claude}, {"--agent", "generic"});
  EXPECT_EQ(KindOf("d"), "generic by given");
  EXPECT_EQ(Text(Agent("orchestrator-a#1"), "agent_kind"), "claude");
}

// Codex has no adapter: it is on record, and nothing is added to its command.
TEST_F(AgentKindTest, CodexIsOnRecordAndGetsNoArguments) {
  Spawn("a", {Program("codex"), "exec", "x"}, {"--prompt", "do it"});
  EXPECT_EQ(KindOf("a"), "codex by command");
  ASSERT_TRUE(Await([&] { return folder_.Read("words") == "2\nexec\nx\n"; }))
      << folder_.Read("words");
}

TEST_F(AgentKindTest, HooksThatReportASessionMakeAWrapperAClaude) {
  StartGuardian();
  StartTelling("login");
  EXPECT_EQ(KindOf("login"), "generic by command");
  Tell("SessionStart", kStart);
  ASSERT_TRUE(AwaitKind("login", "claude by hooks")) << KindOf("login");
  EXPECT_THAT(Why("login"), HasSubstr("claude, not generic: its hooks reported a session"));
}

TEST_F(AgentKindTest, AKindThatWasGivenStays) {
  StartGuardian();
  Start("login", TellingScript(), {"--agent", "generic"});
  Tell("SessionStart", kStart);
  ASSERT_TRUE(Await([&] { return Present("login").session_id == "s1"; }));
  EXPECT_EQ(KindOf("login"), "generic by given");
}

TEST_F(AgentKindTest, WhatHooksReportedWithoutAGuardianCountsAtTheEnd) {
  Spawn("login", {AgentScript("login", TellingScript())});
  Tell("SessionStart", kStart);
  EXPECT_EQ(KindOf("login"), "generic by command");
  Kill(Present("login"));
  AwaitEnd("repo", "login");
  StartGuardian();
  AwaitStatus("login", 2, AgentStatus::kAlive);
  EXPECT_EQ(KindOf("login"), "claude by hooks");
  EXPECT_EQ(Before("login").agent_kind, AgentKind::kClaude);
}

TEST_F(AgentKindTest, HooksOfAnotherProcessChangeNothing) {
  Spawn("login", {AgentScript("login", std::string(kWaits))});
  TellFromOutside("orchestrator-login#1", "SessionStart", kStart);
  Kill(Present("login"));
  AwaitEnd("repo", "login");
  StartGuardian();
  AwaitStatus("login", 2, AgentStatus::kAlive);
  EXPECT_EQ(KindOf("login"), "generic by command");
}

TEST_F(AgentKindTest, AClaudeAmongItsProcessesMakesAWrapperAClaude) {
  Supervise({"heartbeat: 1s"});
  StartGuardian();
  folder_.MakeFolder("bin");
  std::filesystem::copy_file("/bin/sleep", folder_ / "bin/claude");
  Start("login", "'" + (folder_ / "bin/claude") + "' 600; true\n");
  ASSERT_TRUE(AwaitKind("login", "claude by processes")) << KindOf("login");
  EXPECT_THAT(Why("login"), HasSubstr("found a claude process in its process tree"));
}

TEST_F(AgentKindTest, AWrappersSuccessorGetsTheTextFromSessionStartOnceAndNoArguments) {
  SuperviseWithoutBackoff();
  StartGuardian();
  const Identity first = StartTelling("login");
  EXPECT_THAT(Tell("SessionStart", kStart),
              AllOf(HasSubstr("belay supervises you as orchestrator-login#1."),
                    Not(HasSubstr("continuation"))));
  Kill(first);
  AwaitStatus("login", 2, AgentStatus::kAlive);
  EXPECT_THAT(Tell("SessionStart", kStart),
              AllOf(HasSubstr("You are a continuation of orchestrator-login#1"),
                    HasSubstr("It is not a new task"), HasSubstr("MERGE_READY")));
  EXPECT_THAT(Tell("SessionStart", R"({"session_id":"s1","source":"compact"})"),
              AllOf(HasSubstr("resume.md"), Not(HasSubstr("continuation of"))));
  EXPECT_EQ(Command("login"), first.command);
}

TEST_F(AgentKindTest, ATextThatIsTooLongForAHookStaysInItsFile) {
  Spawn("login", {AgentScript("login", TellingScript())}, {"--prompt", std::string(20'000, 'x')});
  EXPECT_THAT(Tell("SessionStart", kStart),
              AllOf(HasSubstr("Read the file"), HasSubstr("before you do anything else"),
                    Not(HasSubstr("xxxx"))));
}

TEST_F(AgentKindTest, TheTaskOfAWrapperIsInItsFirstSession) {
  const RunOutcome spawned =
      Belay({"spawn", "--name", "login", "--agent", "claude", "--prompt", "count the pears", "--",
             AgentScript("login", TellingScript())});
  EXPECT_THAT(spawned.err, HasSubstr("belay doesn't add the task to its arguments"));
  EXPECT_THAT(Tell("SessionStart", kStart),
              AllOf(HasSubstr("count the pears"), Not(HasSubstr("not a new task"))));
  EXPECT_EQ(Command("login").size(), 1U);
}

TEST_F(AgentKindTest, SpawnExplainsWhatMissingHooksCost) {
  const std::string claude = Program("claude");
  environment_["CLAUDE_CONFIG_DIR"] = folder_ / "config";
  const auto spawn = [&](const std::string& name, std::vector<std::string> more = {}) {
    std::vector<std::string> words = {"spawn", "--name", name};
    words.insert(words.end(), more.begin(), more.end());
    words.insert(words.end(), {"--", claude});
    return Belay(words).err;
  };
  EXPECT_THAT(spawn("a"), AllOf(HasSubstr("belay's hooks are not installed"),
                                HasSubstr("Run belay init --agent claude")));
  EXPECT_THAT(spawn("b", {"--agent", "generic"}), Not(HasSubstr("hooks")));
  const Json none = Spawn("c", {claude});
  EXPECT_EQ(Text(none, "agent_kind"), "claude");
  EXPECT_EQ(*none.Find("hooks_installed")->AsBool(), false);
  EXPECT_TRUE(Spawn("d", {"sleep", "600"}).Find("hooks_installed")->is_null());
  ASSERT_EQ(Belay({"init", "--yes", "--agent", "claude"}).exit_code, 0);
  EXPECT_THAT(spawn("e"), Not(HasSubstr("hooks")));
  EXPECT_THAT(spawn("f", {"--new-worktree", "f"}), Not(HasSubstr("hooks")));
  EXPECT_EQ(*Spawn("g", {claude}).Find("hooks_installed")->AsBool(), true);
}

}  // namespace
}  // namespace belay
