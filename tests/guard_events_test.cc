// What an agent's hooks tell (`belay event`), and what the guardian makes of it. The agents are
// scripts here; what the real ones tell is in tests/agents/.

#include <sys/stat.h>
#include <unistd.h>

#include "guard_sandbox.h"
#include "os/unique_fd.h"

namespace belay {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class GuardEventsTest : public GuardSandbox {
 protected:
  // As a hook of that agent would; "" is a session that was started without belay.
  RunOutcome Tell(const std::string& agent, const std::string& event, const std::string& input,
                  std::map<std::string, std::string> environment = {}) {
    const std::string file = "input-" + std::to_string(++inputs_);
    folder_.Write(file, input);
    if (!agent.empty()) environment["BELAY_AGENT_ID"] = agent;
    const RunOutcome outcome = RunReal(
        {"sh", "-c", "exec \"$0\" event \"$1\" <\"$2\"", BELAY_BINARY, event, folder_ / file},
        {.folder = folder_ / "repo", .environment = environment});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome;
  }
  void TellShell(const std::string& agent, const std::string& event, const std::string& command,
                 const std::string& more = "") {
    Tell(agent, event,
         R"({"session_id":"s1","tool_name":"Bash","tool_input":{"command":")" + command + "\"}" +
             more + "}");
  }
  void TellEdit(const std::string& agent, const std::string& file) {
    Tell(agent, "PreToolUse", R"({"tool_name":"Edit","tool_input":{"file_path":")" + file + "\"}}");
  }
  bool HookSays(const std::string& name, std::string_view key, const std::string& value) {
    return Text(Hook(name), key) == value;
  }

 private:
  int inputs_ = 0;
};

TEST_F(GuardEventsTest, PhaseTestsAndLastActionsAreInTheHookAtOnce) {
  StartGuardian();
  Start("login");
  TellEdit("orchestrator-login#1", "src/login.cc");
  ASSERT_TRUE(Await([&] { return HookSays("login", "work_phase", "implementation"); }));
  TellShell("orchestrator-login#1", "PreToolUse", "cd x && npm test");
  TellShell("orchestrator-login#1", "PostToolUseFailure", "cd x && npm test",
            R"(,"error":"Exit code 7\nsome output")");
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

TEST_F(GuardEventsTest, WhatIsToldWhileNoGuardianRunsIsTakenUpByTheNext) {
  Spawn("login", {AgentScript("login", kWaits)});
  TellEdit("orchestrator-login#1", "a");
  EXPECT_TRUE(HookSays("login", "work_phase", "investigation"));
  StartGuardian();
  EXPECT_TRUE(Await([&] { return HookSays("login", "work_phase", "implementation"); }));
}

TEST_F(GuardEventsTest, AGuardianThatIsHaltedHoldsUpNobody) {
  Process& guardian = StartGuardian();
  Start("login");
  ASSERT_TRUE(guardian.Signal(SIGSTOP).ok());
  for (int i = 0; i < 50; ++i) TellEdit("orchestrator-login#1", "f" + std::to_string(i));
  ASSERT_TRUE(guardian.Signal(SIGCONT).ok());
  ASSERT_TRUE(Await([&] { return HookSays("login", "work_phase", "implementation"); }));
}

TEST_F(GuardEventsTest, AGuardianThatIsKilledForgetsNothingOfIt) {
  Process& first = StartGuardian();
  Start("login");
  KillGuardian(first);
  TellShell("orchestrator-login#1", "PreToolUse", "npm test");
  TellShell("orchestrator-login#1", "PostToolUse", "npm test");
  StartGuardian();
  ASSERT_TRUE(Await([&] { return HookSays("login", "tests_status", "passed"); }));
  EXPECT_EQ(Hook("login").Find("last_actions")->AsArray()->size(), 1U);
}

TEST_F(GuardEventsTest, OneThatIsIdleAtItsPromptWaitsUntilItWorksAgain) {
  StartGuardian();
  Start("login");
  Tell("orchestrator-login#1", "Stop", "{}");
  AwaitStatus("login", 1, AgentStatus::kWaiting);
  TellEdit("orchestrator-login#1", "a");
  AwaitStatus("login", 1, AgentStatus::kAlive);
  Tell("orchestrator-login#1", "Notification", R"({"notification_type":"permission_prompt"})");
  AwaitStatus("login", 1, AgentStatus::kWaiting);
  EXPECT_THAT(Why("login"), HasSubstr("it waits for permission"));
}

TEST_F(GuardEventsTest, ARateLimitIsAWaitAndNoCrash) {
  StartGuardian();
  const std::string told = "'{\"error\":\"rate_limit\"}'";
  Spawn("login",
        {AgentScript("login", "echo " + told + " | " BELAY_BINARY " event StopFailure\nexit 1\n")});
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
  SpawnToEnd(
      "login",
      {AgentScript("login", "echo " + told + " | " BELAY_BINARY " event StopFailure\nexit 1\n")});
  ASSERT_EQ(Belay({"guard", "--once"}).exit_code, 0);
  EXPECT_EQ(Present("login").exit->cause, ExitCause::kAuth);
  EXPECT_FALSE(Present("login").restart.due);
}

TEST_F(GuardEventsTest, AHookOfOneThatHasEndedChangesNothing) {
  StartGuardian();
  Kill(Start("login"));
  AwaitStatus("login", 2, AgentStatus::kAlive);
  TellEdit("orchestrator-login#1", "a");
  ASSERT_TRUE(Await([&] { return Why("login").find("passed over") != std::string::npos; }));
  EXPECT_TRUE(HookSays("login", "work_phase", "investigation"));
}

TEST_F(GuardEventsTest, ItsWorkIsKeptBeforeACompaction) {
  StartGuardian();
  Start("login");
  folder_.Write("repo/half.txt", "half done\n");
  Tell("orchestrator-login#1", "PreCompact", R"({"trigger":"auto"})");
  EXPECT_TRUE(Await([&] { return SnapshotsWith("login", "half.txt") > 0; }));
}

TEST_F(GuardEventsTest, WhatIsNotUnderstoodHarmsNobody) {
  Spawn("login", {AgentScript("login", kWaits)});
  const std::string agent = "orchestrator-login#1";
  for (const std::string& input :
       {std::string(), std::string("not json"), std::string("[1]"), std::string("{\"a\":"),
        "{\"x\":\"" + std::string(10'000'000, 'x') + "\"}", std::string(10'000'000, '[')}) {
    EXPECT_EQ(Tell(agent, "PreToolUse", input).out, "");
  }
  EXPECT_EQ(Tell(agent, "NoSuchEvent", "{}").out, "");
  EXPECT_EQ(Tell("not an id", "PreToolUse", "{}").out, "");
  EXPECT_EQ(Tell("", "PreToolUse", "{}").out, "");
  EXPECT_EQ(Tell(agent, "PreToolUse", "{}", {{"BELAY_STATE", "/no/such/place"}}).out, "");
  const RunOutcome nowhere =
      RunReal({"sh", "-c", "echo {} | exec \"$0\" event PreToolUse", BELAY_BINARY},
              {.folder = folder_.path()});
  EXPECT_EQ(nowhere.exit_code, 0);
  EXPECT_EQ(nowhere.out, "");
}

TEST_F(GuardEventsTest, AProjectWithoutBelayStaysAsItIs) {
  Git({"init", "-q", folder_ / "other"});
  const RunOutcome outcome =
      RunReal({"sh", "-c", "echo '{\"session_id\":\"12345678\"}' | exec \"$0\" event SessionStart",
               BELAY_BINARY},
              {.folder = folder_ / "other"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(folder_.Read("other/.git/belay"), "(missing)");
}

TEST_F(GuardEventsTest, ASuccessorIsToldWhereItsTextIs) {
  const RunOutcome outcome = Tell("orchestrator-login#2", "SessionStart", "{}",
                                  {{"BELAY_RESUME_FILE", "/vault/x.resume.md"}});
  const Result<Json> answer = ParseJson(outcome.out);
  ASSERT_TRUE(answer.ok()) << outcome.out;
  EXPECT_THAT(Text(*answer->Find("hookSpecificOutput"), "additionalContext"),
              AllOf(HasSubstr("orchestrator-login#2"), HasSubstr("/vault/x.resume.md")));
}

TEST_F(GuardEventsTest, AStatusLineShowsItsStateAndTellsHowFullItsContextIs) {
  StartGuardian();
  Start("login");
  folder_.Write("status",
                R"({"context_window":{"context_window_size":1000,"used_percentage":71}})");
  const RunOutcome outcome = RunReal(
      {"sh", "-c", "exec \"$0\" statusline <\"$1\"", BELAY_BINARY, folder_ / "status"},
      {.folder = folder_ / "repo", .environment = {{"BELAY_AGENT_ID", "orchestrator-login#1"}}});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.out, "login: investigation, context 71 %\n");
  ASSERT_TRUE(Await([&] {
    const Json hook = Hook("login");
    const Json* window = hook.Find("context_window");
    return window != nullptr && *window == Json(1000);
  }));
  EXPECT_THAT(Belay({"agents"}).out, HasSubstr("71"));
}

// A session that somebody started by hand: a shell that calls a hook for every line it gets.
class ExternalSessionTest : public GuardEventsTest {
 protected:
  ExternalSessionTest() {
    EXPECT_EQ(mkfifo((folder_ / "lines").c_str(), 0600), 0);
    lines_ = UniqueFd(open((folder_ / "lines").c_str(), O_RDWR | O_CLOEXEC));
    const std::string script =
        "while read -r event input; do CLAUDE_PID=$$ \"$0\" event \"$event\" <\"$input\"; "
        "echo done >\"$input.done\"; done <\"$1\"";
    auto process = Process::Spawn({.command = {"sh", "-c", script, BELAY_BINARY, folder_ / "lines"},
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
    const std::string input = "told-" + std::to_string(++told_);
    folder_.Write(input, R"({"session_id":"ABCD1234-5678-9abc-0000-000000000000","cwd":")" +
                             (folder_ / "repo") + "\"" + more + "}");
    const std::string line = event + " " + (folder_ / input) + "\n";
    ASSERT_EQ(write(lines_.get(), line.data(), line.size()), static_cast<ssize_t>(line.size()));
    ASSERT_TRUE(Await([&] { return folder_.Read(input + ".done") == "done\n"; }));
  }
  Json Row() { return Agent("external-abcd12345678#1"); }

  std::optional<Process> session_;
  UniqueFd lines_;
  int told_ = 0;
};

// Only whoever a hook was started by can be the one whose hook it is.
TEST_F(ExternalSessionTest, AProcessThatDidNotStartTheHookIsNotBelieved) {
  const std::string input = R"({"session_id":"feedfeedfeed","cwd":")" + (folder_ / "repo") + "\"}";
  for (const std::string& pid : {std::string("1"), std::to_string(session_->pid())}) {
    Tell("", "SessionStart", input, {{"CLAUDE_PID", pid}});
  }
  EXPECT_TRUE(Agents(true).AsArray()->empty());
}

TEST_F(ExternalSessionTest, IsRegisteredByItselfAlsoWithoutAGuardian) {
  TellOfIt("SessionStart", R"(,"source":"startup")");
  const Json row = Row();
  EXPECT_EQ(Text(row, "host"), "external");
  EXPECT_EQ(Text(row, "status"), "alive");
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
  EXPECT_EQ(Belay({"stop", "external-abcd12345678"}).exit_code, 4);
  folder_.Write("repo/by-hand.txt", "work\n");
  End();
  ASSERT_TRUE(Await([&] { return Text(Row(), "status") == "crashed"; }));
  ASSERT_TRUE(Await([&] { return SnapshotsWith("external-abcd12345678", "by-hand.txt") > 0; }));
  AwaitATurn();
  EXPECT_EQ(Text(Row(), "status"), "crashed");
  EXPECT_EQ(Text(Agent("external-abcd12345678#2"), "status"), "(none)");
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
