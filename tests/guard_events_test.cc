// What an agent's hooks tell (`belay event`), and what the guardian makes of it. The agents are
// scripts here; what the real ones tell is in tests/agents/.

#include "hook_sandbox.h"
#include "testing/places.h"

namespace belay {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

using GuardEventsTest = HookSandbox;

constexpr const char* kEdit = R"({"tool_name":"Edit","tool_input":{"file_path":"a"}})";

TEST_F(GuardEventsTest, PhaseTestsAndLastActionsAreInTheHookAtOnce) {
  StartGuardian();
  StartTelling("login");
  TellEdit("src/login.cc");
  ASSERT_TRUE(Await([&] { return HookSays("login", "work_phase", "implementation"); }));
  TellShell("PreToolUse", "cd x && npm test");
  TellShell("PostToolUseFailure", "cd x && npm test", R"(,"error":"Exit code 7\nsome output")");
  ASSERT_TRUE(Await([&] { return HookSays("login", "tests_status", "failed"); }));
  const Json hook = Hook("login");
  EXPECT_EQ(Text(hook, "work_phase"), "testing");
  EXPECT_EQ(Text(hook, "tests_detail"), "cd x && npm test: exit code 7");
  const Json::Array& actions = *hook.Find("last_actions")->AsArray();
  ASSERT_EQ(actions.size(), 2U);
  EXPECT_EQ(Text(actions[0], "what"), "Edit src/login.cc");
  EXPECT_EQ(*actions[1].Find("passed")->AsBool(), false);
  EXPECT_EQ(Text(hook.Find("phase_history")->AsArray()->back(), "source"), "hooks");
  EXPECT_EQ(Present("login").session_id, "s1");
}

TEST_F(GuardEventsTest, TheNextGuardianReadsEventsSentWhileNoneWasRunning) {
  Spawn("login", {AgentScript("login", TellingScript())});
  TellEdit("a");
  EXPECT_TRUE(HookSays("login", "work_phase", "investigation"));
  StartGuardian();
  EXPECT_TRUE(Await([&] { return HookSays("login", "work_phase", "implementation"); }));
}

TEST_F(GuardEventsTest, AHaltedGuardianBlocksNoHook) {
  Process& guardian = StartGuardian();
  StartTelling("login");
  ASSERT_TRUE(guardian.Signal(SIGSTOP).ok());
  for (int i = 0; i < 50; ++i) TellEdit("f" + std::to_string(i));
  ASSERT_TRUE(guardian.Signal(SIGCONT).ok());
  ASSERT_TRUE(Await([&] { return HookSays("login", "work_phase", "implementation"); }));
}

TEST_F(GuardEventsTest, AGuardianThatIsKilledForgetsNothingOfIt) {
  Process& first = StartGuardian();
  StartTelling("login");
  KillGuardian(first);
  TellShell("PreToolUse", "npm test");
  TellShell("PostToolUse", "npm test");
  StartGuardian();
  ASSERT_TRUE(Await([&] { return HookSays("login", "tests_status", "passed"); }));
  EXPECT_EQ(Hook("login").Find("last_actions")->AsArray()->size(), 1U);
}

TEST_F(GuardEventsTest, OneThatIsIdleAtItsPromptWaitsUntilItWorksAgain) {
  StartGuardian();
  StartTelling("login");
  Tell("Stop", "{}");
  AwaitStatus("login", 1, AgentStatus::kWaiting);
  TellEdit("a");
  AwaitStatus("login", 1, AgentStatus::kAlive);
  Tell("Notification", R"({"notification_type":"permission_prompt"})");
  AwaitStatus("login", 1, AgentStatus::kWaiting);
  EXPECT_THAT(Why("login"), HasSubstr("waiting for permission"));
}

TEST_F(GuardEventsTest, ARateLimitIsAWaitAndNoCrash) {
  StartGuardian();
  const std::string told = "'{\"error\":\"rate_limit\"}'";
  Spawn("login", {AgentScript("login", "echo " + told + " | " + BelayBinary() +
                                           " event StopFailure\nexit 1\n")});
  AwaitStatus("login", 1, AgentStatus::kCrashed);
  const Identity identity = Present("login");
  EXPECT_EQ(identity.exit->cause, ExitCause::kRateLimit);
  EXPECT_TRUE(identity.restart.due);
  EXPECT_TRUE(identity.restart.crashes.empty());
  const Json row = Agent("orchestrator-login#1");
  EXPECT_EQ(Text(row, "status"), "waiting");
  EXPECT_EQ(Text(row, "color"), "yellow");
  EXPECT_THAT(Belay({"agents"}).out, HasSubstr("rate_limit"));
}

TEST_F(GuardEventsTest, AnEndWithoutAGuardianIsJudgedByTheLastWordsToo) {
  const std::string told = "'{\"error\":\"authentication_failed\"}'";
  SpawnToEnd("login", {AgentScript("login", "echo " + told + " | " + BelayBinary() +
                                                " event StopFailure\nexit 1\n")});
  ASSERT_EQ(Belay({"guard", "--once"}).exit_code, 0);
  EXPECT_EQ(Present("login").exit->cause, ExitCause::kAuth);
  EXPECT_FALSE(Present("login").restart.due);
}

TEST_F(GuardEventsTest, AHookOfOneThatHasEndedChangesNothing) {
  StartGuardian();
  Kill(Start("login"));
  AwaitStatus("login", 2, AgentStatus::kAlive);
  TellFromOutside("orchestrator-login#1", "PreToolUse", kEdit);
  ASSERT_TRUE(Await([&] { return Why("login").find("ignored ") != std::string::npos; }));
  EXPECT_TRUE(HookSays("login", "work_phase", "investigation"));
}

TEST_F(GuardEventsTest, ItsWorkIsKeptBeforeACompaction) {
  StartGuardian();
  StartTelling("login");
  folder_.Write("repo/half.txt", "half done\n");
  Tell("PreCompact", R"({"trigger":"auto"})");
  EXPECT_TRUE(Await([&] { return SnapshotsWith("login", "half.txt") > 0; }));
}

TEST_F(GuardEventsTest, MalformedInputDoesNoHarm) {
  Spawn("login", {AgentScript("login", TellingScript())});
  const std::string agent = "orchestrator-login#1";
  for (const std::string& input :
       {std::string(), std::string("not json"), std::string("[1]"), std::string("{\"a\":"),
        "{\"x\":\"" + std::string(10'000'000, 'x') + "\"}", std::string(10'000'000, '[')}) {
    EXPECT_EQ(Tell("PreToolUse", input), "");
  }
  EXPECT_EQ(Tell("NoSuchEvent", "{}"), "");
  EXPECT_EQ(TellFromOutside("not an id", "PreToolUse", "{}").out, "");
  EXPECT_EQ(TellFromOutside("", "PreToolUse", "{}").out, "");
  EXPECT_EQ(TellFromOutside(agent, "PreToolUse", "{}", {{"BELAY_STATE", "/no/such/place"}}).out,
            "");
  const RunOutcome nowhere =
      RunReal({"sh", "-c", "echo {} | exec \"$0\" event PreToolUse", BelayBinary()},
              {.folder = folder_.path()});
  EXPECT_EQ(nowhere.exit_code, 0);
  EXPECT_EQ(nowhere.out, "");
}

TEST_F(GuardEventsTest, AProjectWithoutBelayStaysAsItIs) {
  Git({"init", "-q", folder_ / "other"});
  const RunOutcome outcome =
      RunReal({"sh", "-c", "echo '{\"session_id\":\"12345678\"}' | exec \"$0\" event SessionStart",
               BelayBinary()},
              {.folder = folder_ / "other"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(folder_.Read("other/.git/belay"), "(missing)");
}

TEST_F(GuardEventsTest, ASuccessorGetsThePathOfItsText) {
  const RunOutcome outcome = TellFromOutside("orchestrator-login#2", "SessionStart", "{}",
                                             {{"BELAY_RESUME_FILE", "/vault/x.resume.md"}});
  const Result<Json> answer = ParseJson(outcome.out);
  ASSERT_TRUE(answer.ok()) << outcome.out;
  EXPECT_THAT(Text(*answer->Find("hookSpecificOutput"), "additionalContext"),
              AllOf(HasSubstr("orchestrator-login#2"), HasSubstr("/vault/x.resume.md")));
}

TEST_F(GuardEventsTest, AStatusLineShowsItsStateAndReportsHowFullItsContextIs) {
  StartGuardian();
  StartTelling("login");
  const std::string line =
      Tell("statusline", R"({"context_window":{"context_window_size":1000,"used_percentage":71}})");
  EXPECT_EQ(line, "login: investigation, context 71 %\n");
  ASSERT_TRUE(Await([&] {
    const Json hook = Hook("login");
    const Json* window = hook.Find("context_window");
    return window != nullptr && *window == Json(1000);
  }));
  EXPECT_THAT(Belay({"agents"}).out, HasSubstr("71"));
}

// An agent's tools have its name, or can take another's: the name alone counts for nothing.
TEST_F(GuardEventsTest, IgnoresEventsSentByAnotherProcess) {
  StartGuardian();
  StartTelling("login");
  TellFromOutside("orchestrator-login#1", "PreToolUse", kEdit);
  ASSERT_TRUE(Await([&] { return Why("login").find("ignored ") != std::string::npos; }));
  EXPECT_THAT(Why("login"), HasSubstr("ignored tool_starting: sent by a process outside"));
  EXPECT_TRUE(HookSays("login", "work_phase", "investigation"));
  TellEdit("a");
  EXPECT_TRUE(Await([&] { return HookSays("login", "work_phase", "implementation"); }));
}

// The gates of the merge queue are in that file.
TEST_F(GuardEventsTest, AnAgentDoesNotEditTheSettingsThatJudgeItsWork) {
  const auto edit = [&](const std::string& agent, const std::string& file) {
    return TellFromOutside(agent, "PreToolUse",
                           R"({"tool_name":"Write","cwd":")" + (folder_ / "repo") +
                               R"(","tool_input":{"file_path":")" + file + "\"}}")
        .out;
  };
  const std::string agent = "orchestrator-login#1";
  for (const std::string& file :
       {folder_ / "repo/.claude/belay.yml", std::string(".claude/belay.yml"),
        folder_ / "repo/.claude/../.claude/belay.yml"}) {
    EXPECT_THAT(edit(agent, file), HasSubstr("\"permissionDecision\":\"deny\"")) << file;
  }
  EXPECT_EQ(edit(agent, folder_ / "repo/other/belay.yml"), "");
  EXPECT_THAT(edit(agent, folder_ / "repo/.claude/settings.json"), HasSubstr("deny"));
  EXPECT_EQ(edit(agent, folder_ / "repo/.claude/commands/a.md"), "");
  EXPECT_EQ(edit("", folder_ / "repo/.claude/belay.yml"), "") << "a person's own session";
}

TEST_F(GuardEventsTest, AnAgentDoesNotWriteThemByAShellOrAnotherServersTool) {
  const std::string agent = "orchestrator-login#1";
  const auto call = [&](const std::string& who, const std::string& tool, const std::string& input) {
    return TellFromOutside(who, "PreToolUse",
                           R"({"tool_name":")" + tool + R"(","cwd":")" + (folder_ / "repo") +
                               R"(","tool_input":)" + input + "}")
        .out;
  };
  ASSERT_EQ(symlink("repo/.claude", (folder_ / "other").c_str()), 0);
  for (const std::string& command :
       {std::string("echo x > .claude/belay.yml"),
        std::string("sed -i s/a/b/ .claude/settings.json"),
        std::string("true | tee .claude/settings.local.json"),
        std::string("cp x .claude/belay.yml"), std::string("mv x .claude/belay.yml"),
        std::string("ln -sf x .claude/belay.yml"), std::string("rm -rf .claude"),
        std::string("git checkout HEAD -- .claude/belay.yml"),
        std::string("python3 -c \"open('.claude/belay.yml','w')\""),
        std::string("bash -c 'cd .claude && rm belay.yml'"), std::string("rm -rf .git/belay"),
        std::string("echo x > .git/hooks/reference-transaction"),
        "echo x > " + (folder_ / "other/belay.yml")}) {
    std::string quoted;
    for (const char c : command) quoted += c == '"' ? std::string("\\\"") : std::string(1, c);
    const std::string answer = call(agent, "Bash", "{\"command\":\"" + quoted + "\"}");
    EXPECT_THAT(answer, HasSubstr("\"permissionDecision\":\"deny\"")) << command;
    EXPECT_EQ(call("", "Bash", "{\"command\":\"" + quoted + "\"}"), "") << "a person's own session";
  }
  for (const char* command : {"cat .claude/belay.yml", "echo x > out", "rm -rf build"}) {
    EXPECT_EQ(call(agent, "Bash", "{\"command\":\"" + std::string(command) + "\"}"), "") << command;
  }
  const std::string path = R"({"path":".claude/belay.yml","content":"x"})";
  EXPECT_THAT(call(agent, "mcp__files__write_file", path), HasSubstr("deny"));
  EXPECT_THAT(
      call(agent, "mcp__files__move_file",
           R"({"source":"a","destination":")" + (folder_ / "repo/.claude/belay.yml") + "\"}"),
      HasSubstr("deny"));
  EXPECT_THAT(call(agent, "mcp__shell__run", R"({"command":"rm .claude/belay.yml"})"),
              HasSubstr("deny"));
  EXPECT_EQ(call(agent, "mcp__files__read_file", path), "");
  EXPECT_EQ(call(agent, "mcp__github__create_issue", R"({"body":"see .claude/belay.yml"})"), "");
}

TEST_F(GuardEventsTest, GitMayNotUndoASettingThatItWouldChange) {
  const std::string repo = folder_ / "repo";
  const auto call = [&](const std::string& command) {
    return TellFromOutside("orchestrator-login#1", "PreToolUse",
                           R"({"tool_name":"Bash","cwd":")" + repo +
                               R"(","tool_input":{"command":")" + command + "\"}}")
        .out;
  };
  const auto restoring = {"git checkout .", "git checkout -- .claude", "git restore .claude"};
  folder_.Write("repo/.claude/belay.yml", "# one\n");
  EXPECT_THAT(call("git clean -fdx"), HasSubstr("deny")) << "it isn't tracked";
  EXPECT_THAT(call("git clean -fd"), HasSubstr("deny"));
  for (const char* command : restoring) EXPECT_EQ(call(command), "") << command;
  Git({"-C", repo, "add", "-f", ".claude/belay.yml"});
  EXPECT_EQ(call("git clean -fdx src"), "");
  for (const char* command : restoring) EXPECT_EQ(call(command), "") << "it is unchanged";
  folder_.Write("repo/.claude/belay.yml", "# two\n");
  for (const char* command : restoring) EXPECT_THAT(call(command), HasSubstr("deny")) << command;
  for (const char* command :
       {"git stash", "git reset --hard", "git checkout -f", "cd .claude; git stash -u"}) {
    EXPECT_THAT(call(command), HasSubstr("deny")) << command;
  }
  for (const char* command :
       {"git checkout main", "git restore a", "git reset HEAD", "git stash list",
        "git restore --staged .claude", "git -C /nowhere reset --hard"}) {
    EXPECT_EQ(call(command), "") << command;
  }
}

TEST_F(GuardEventsTest, GitMayNotBringBackOtherSettings) {
  const std::string repo = folder_ / "repo";
  const auto call = [&](const std::string& command) {
    return TellFromOutside("orchestrator-login#1", "PreToolUse",
                           R"({"tool_name":"Bash","cwd":")" + repo +
                               R"(","tool_input":{"command":")" + command + "\"}}")
        .out;
  };
  const auto commit = [&](const std::string& text) {
    folder_.Write("repo/.claude/belay.yml", text);
    Git({"-C", repo, "add", "-f", ".claude/belay.yml"});
    Git({"-C", repo, "commit", "-q", "-m", text});
  };
  commit("# one\n");
  Git({"-C", repo, "tag", "same"});
  Git({"-C", repo, "commit", "-q", "--allow-empty", "-m", "x"});
  EXPECT_EQ(call("git reset --hard same"), "") << "with the same settings";
  EXPECT_EQ(call("git checkout same -- .claude"), "");
  EXPECT_EQ(call("git stash"), "");
  commit("# two\n");
  folder_.Write("repo/.claude/belay.yml", "# three\n");
  Git({"-C", repo, "stash"});
  for (const char* command :
       {"git reset --hard same", "git reset --keep HEAD~1", "git checkout same -- .claude",
        "git checkout same .", "git restore -s same .", "git restore --source=same .claude",
        "git checkout -f same", "git stash pop", "git stash apply",
        "cd .claude && git reset --hard same", "git checkout same -- :/"}) {
    EXPECT_THAT(call(command), HasSubstr("deny")) << command;
  }
  for (const char* command : {"git reset --hard", "git reset same", "git checkout same -- a",
                              "git reset --hard --output=x", "git checkout main"}) {
    EXPECT_EQ(call(command), "") << command;
  }
}

TEST_F(GuardEventsTest, WhatOnlyTheDiskShowsDecides) {
  const std::string repo = folder_ / "repo";
  const auto call = [&](const std::string& command) {
    return TellFromOutside("orchestrator-login#1", "PreToolUse",
                           R"({"tool_name":"Bash","cwd":")" + repo +
                               R"(","tool_input":{"command":")" + command + "\"}}",
                           {{"ELSEWHERE", folder_ / "other"}, {"HERE", repo}})
        .out;
  };
  folder_.Write("repo/clean.sh", "#!/bin/sh\nrm -rf \"$1\"\n");
  ASSERT_EQ(chmod((repo + "/clean.sh").c_str(), 0755), 0);
  folder_.Write("repo/x.patch", "--- a/.claude/belay.yml\n+++ b/.claude/belay.yml\n");
  folder_.Write("repo/list", ".claude/belay.yml\n");
  folder_.Write("repo/lines", "rm -rf .claude\n");
  ASSERT_EQ(chmod((repo + "/lines").c_str(), 0755), 0);
  ASSERT_EQ(mkdir((folder_ / "repo/sub").c_str(), 0700), 0);
  for (const char* command :
       {"rm $(cat list)", "rm $(<list)", "xargs rm < list", "cat list | xargs rm",
        "while read f; do rm $f; done < list", "cat x.patch | git apply", "./lines",
        "cat lines | sh", "cp lines sub/x; sh sub/x", "sh -c '$(cat lines)'",
        "rm $HERE/$(ls .claude/belay.yml)"}) {
    EXPECT_THAT(call(command), HasSubstr("deny")) << command;
  }
  for (const char* command : {"cat list", "rm $(ls sub)", "xargs cat < list", "sh -n lines"}) {
    EXPECT_EQ(call(command), "") << command;
  }
  for (const char* command : {"./clean.sh .claude", "sh clean.sh .claude", ". ./clean.sh .claude",
                              "git apply x.patch", "patch -p1 < x.patch", "rm -rf $HERE/.claude",
                              "cd nowhere; rm -rf .claude", "rmdir sub; cd sub; rm -rf .claude"}) {
    EXPECT_THAT(call(command), HasSubstr("deny")) << command;
  }
  for (const char* command : {"./clean.sh build", "sh clean.sh build", "rm -rf $ELSEWHERE/.claude",
                              "cd sub; rm -rf .claude", "cp .claude/belay.yml $ELSEWHERE/"}) {
    EXPECT_EQ(call(command), "") << command;
  }
}

TEST_F(GuardEventsTest, ALinkIsNoWayToTheSettings) {
  const std::string repo = folder_ / "repo";
  folder_.Write("repo/.claude/belay.yml", "# one\n");
  ASSERT_EQ(symlink(".claude/belay.yml", (folder_ / "repo/x").c_str()), 0);
  ASSERT_EQ(symlink(".git/belay", (folder_ / "repo/y").c_str()), 0);
  const auto call = [&](const std::string& tool, const std::string& input) {
    return TellFromOutside("orchestrator-login#1", "PreToolUse",
                           R"({"tool_name":")" + tool + R"(","cwd":")" + repo +
                               R"(","tool_input":)" + input + "}")
        .out;
  };
  EXPECT_THAT(call("Bash", R"({"command":"echo a > x"})"), HasSubstr("deny"));
  EXPECT_THAT(call("Bash", R"({"command":"rm -rf y/journals"})"), HasSubstr("deny"));
  EXPECT_THAT(call("Write", R"({"file_path":")" + repo + R"(/x","content":"a"})"),
              HasSubstr("deny"));
  EXPECT_EQ(call("Bash", R"({"command":"rm x"})"), "") << "only the link";
  EXPECT_EQ(call("Bash", R"({"command":"cp z .claude"})"), "") << "under another name";
}

// The program that started the hook forgot to close its end: what came is taken as all there is.
TEST_F(GuardEventsTest, AnInputThatIsNeverClosedBlocksNothing) {
  const RunOutcome outcome = RunReal(
      {"sh", "-c",
       "mkfifo never; exec 7<>never; printf '{}' >never; \"$0\" event Stop <never; echo $?",
       BelayBinary()},
      {.folder = folder_ / "repo", .environment = {{"BELAY_AGENT_ID", "orchestrator-login#1"}}});
  EXPECT_EQ(outcome.out, "0\n");
  EXPECT_THAT(folder_.Read("repo/.git/belay/events/orchestrator-login.jsonl"),
              HasSubstr("turn_ended"));
}

TEST_F(GuardEventsTest, AVaultOfANewerBelayAndAFolderThatIsALinkAreLeftAlone) {
  const std::string log = "repo/.git/belay/events/orchestrator-login.jsonl";
  const std::string format = folder_.Read("repo/.git/belay/format");
  folder_.Write("repo/.git/belay/format", "99\n");
  const RunOutcome newer = TellFromOutside("orchestrator-login#1", "Stop", "{}");
  EXPECT_THAT(newer.err, HasSubstr("newer belay"));
  EXPECT_EQ(newer.exit_code, 0) << "the agent goes on";
  EXPECT_EQ(folder_.Read(log), "(missing)");
  folder_.Write("repo/.git/belay/format", format);
  (void)rmdir((folder_ / "repo/.git/belay/events").c_str());
  ASSERT_EQ(mkdir((folder_ / "elsewhere").c_str(), 0700), 0);
  ASSERT_EQ(symlink((folder_ / "elsewhere").c_str(), (folder_ / "repo/.git/belay/events").c_str()),
            0);
  EXPECT_THAT(TellFromOutside("orchestrator-login#1", "Stop", "{}").err, HasSubstr("is a link"));
  EXPECT_EQ(folder_.Read("elsewhere/orchestrator-login.jsonl"), "(missing)");
}

TEST_F(GuardEventsTest, RunningOutOfMemoryDoesNotDisturbTheAgent) {
  folder_.Write("large", "{\"x\":\"" + std::string(60'000'000, 'x') + "\"}");
  const RunOutcome outcome = RunReal(
      {"sh", "-c", "ulimit -v 40000; exec \"$0\" event PreToolUse <\"$1\"", BelayBinary(),
       folder_ / "large"},
      {.folder = folder_ / "repo", .environment = {{"BELAY_AGENT_ID", "orchestrator-login#1"}}});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
}

}  // namespace
}  // namespace belay
