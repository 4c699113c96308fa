// How an agent ended that no exit status tells about: its `belay exec` was killed, alone or
// together with the guardian and the agent itself. The agents are scripts that report what Claude
// Code reports, also at SIGHUP, which they get when their terminal is closed; the real program is
// in tests/agents/.

#include <gmock/gmock.h>

#include "base/text.h"
#include "guard_sandbox.h"
#include "testing/places.h"

namespace belay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kOther = "other";
constexpr const char* kPersonLeft = "prompt_input_exit";

class GuardEndsTest : public GuardSandbox {
 protected:
  GuardEndsTest() { SuperviseWithoutBackoff(); }

  // A task of three steps, each one line in the file "lines". The second step blocks until the file
  // "go" is there, or SIGHUP comes: then `at_hangup` is done. A successor does what is missing.
  std::string ThreeSteps(const std::string& at_hangup) {
    return "cd " + project_.Root() +
           "\n"
           "tell() { printf '%s' \"$2\" | " +
           BelayBinary() +
           " event \"$1\"; }\n"
           "bye() { kill $waiter 2>/dev/null\n" +
           at_hangup +
           "\n}\n"
           "step() {\n"
           "  grep -qs \"^$1$\" lines && return\n"
           "  tell PreToolUse "
           "\"{\\\"tool_name\\\":\\\"Bash\\\",\\\"tool_use_id\\\":\\\"t$1\\\"}\"\n"
           "  if [ $1 = two ] && ! [ -e go ]; then\n"
           "    sleep 600 & waiter=$!\n"
           "    echo $waiter > waiting.new; mv waiting.new waiting\n"
           "    wait $waiter\n"
           "  fi\n"
           "  echo $1 >> lines\n"
           "  tell PostToolUse "
           "\"{\\\"tool_name\\\":\\\"Bash\\\",\\\"tool_use_id\\\":\\\"t$1\\\"}\"\n"
           "}\n"
           "trap bye HUP\n"
           "tell SessionStart '{\"session_id\":\"s1\",\"source\":\"startup\"}'\n"
           "tell UserPromptSubmit '{\"session_id\":\"s1\"}'\n"
           "step one; step two; step three\n"
           "tell Stop '{}'\n"
           "tell SessionEnd '{\"reason\":\"other\"}'\n";
  }
  static std::string EndsWith(const std::string& reason) {
    return "tell SessionEnd '{\"reason\":\"" + reason + "\"}'; exit 0";
  }

  // Up to the moment at which its second step waits.
  Identity StartWaiting(const std::string& at_hangup) {
    Identity agent = Start("login", ThreeSteps(at_hangup));
    EXPECT_TRUE(Await([&] { return Waits(); }));
    return agent;
  }
  bool Waits() { return folder_.Read("repo/waiting") != "(missing)"; }
  void LetItGo() { folder_.Write("repo/go", ""); }
  std::vector<std::string> LinesDone() {
    const std::string text = folder_.Read("repo/lines");
    std::vector<std::string> lines;
    for (const std::string_view line : Split(text, '\n')) {
      if (!line.empty()) lines.emplace_back(line);
    }
    return lines;
  }
  void ExpectAllDoneOnce() { EXPECT_THAT(LinesDone(), ElementsAre("one", "two", "three")); }

  static void Kill(const ProcessMark& mark) {
    const Process process = Open(mark);
    ASSERT_TRUE(process.Signal(SIGKILL).ok());
  }
  static void AwaitGone(const ProcessMark& mark) {
    const Result<Process> process =
        Process::Open(ProcessIdentity{static_cast<pid_t>(mark.pid), mark.start, *BootId()});
    EXPECT_TRUE(!process || EndsWithin(*process, kBound));
  }
};

enum Victim { kGuardianDies = 1, kExecDies = 2, kAgentDies = 4 };

class KilledTogetherTest : public GuardEndsTest, public ::testing::WithParamInterface<int> {};

TEST_P(KilledTogetherTest, ItIsRestartedAndDoesAllOfItsWorkOnce) {
  const int victims = GetParam();
  Process* guardian = &StartGuardian();
  const Identity agent = StartWaiting(EndsWith(kOther));
  const Result<Process> tool = Process::Open(std::stoi(folder_.Read("repo/waiting")));
  ASSERT_TRUE(tool.ok());
  const Process exec = Open(*agent.parent);
  const Process itself = Open(*agent.process);
  LetItGo();  // for the next reader
  if ((victims & kGuardianDies) != 0) (void)guardian->Signal(SIGKILL);
  if ((victims & kExecDies) != 0) (void)exec.Signal(SIGKILL);
  if ((victims & kAgentDies) != 0) (void)itself.Signal(SIGKILL);
  if ((victims & kGuardianDies) != 0) {
    (void)guardian->Wait();
    StartGuardian();
  }
  if (victims == kGuardianDies) {
    EXPECT_TRUE(Is("login", 1, AgentStatus::kAlive));
    ASSERT_TRUE(tool->Signal(SIGKILL).ok());  // its step goes on
    AwaitStatus("login", 1, AgentStatus::kTerminated);
  } else {
    AwaitStatus("login", 2, AgentStatus::kTerminated);
    EXPECT_EQ(Before("login").status, AgentStatus::kCrashed);
    EXPECT_TRUE(EndsWithin(*tool, kBound)) << "the tool's process outlived its agent";
  }
  ExpectAllDoneOnce();
}

INSTANTIATE_TEST_SUITE_P(EveryCombination, KilledTogetherTest, ::testing::Range(1, 8));

TEST_F(GuardEndsTest, AClosedTerminalIsNoGoodbye) {
  Process& guardian = StartGuardian();
  const Identity agent = StartWaiting(EndsWith(kOther));
  LetItGo();
  KillGuardian(guardian);
  Kill(*agent.parent);
  AwaitGone(*agent.process);
  StartGuardian();
  AwaitStatus("login", 2, AgentStatus::kTerminated);
  EXPECT_EQ(Before("login").exit->cause, ExitCause::kUnknown);
  ExpectAllDoneOnce();
}

TEST_F(GuardEndsTest, AnUnseenEndIsFoundByACommandToo) {
  Spawn("login", {AgentScript("login", ThreeSteps(EndsWith(kOther)))});
  ASSERT_TRUE(Await([&] { return Waits(); }));
  LetItGo();
  const Identity agent = Present("login");
  Kill(*agent.parent);
  AwaitGone(*agent.process);
  ASSERT_EQ(Belay({"guard", "--once"}).exit_code, 0);
  StartGuardian();
  AwaitStatus("login", 2, AgentStatus::kTerminated);
  ExpectAllDoneOnce();
}

TEST_F(GuardEndsTest, APersonWhoLeftUnseenHasLeft) {
  Process& guardian = StartGuardian();
  const Identity agent = StartWaiting("tell Stop '{}'; " + EndsWith(kPersonLeft));
  KillGuardian(guardian);
  Kill(*agent.parent);
  AwaitGone(*agent.process);
  StartGuardian();
  AwaitStatus("login", 1, AgentStatus::kTerminated);
  EXPECT_EQ(Present("login").exit->cause, ExitCause::kClean);
}

// As Ctrl-C on `claude -p` does.
TEST_F(GuardEndsTest, ExitCodeZeroInTheMiddleOfATurnIsNoCleanEnd) {
  StartGuardian();
  const Identity agent = StartWaiting(EndsWith(kOther));
  LetItGo();
  ASSERT_TRUE(Open(*agent.process).Signal(SIGHUP).ok());
  AwaitStatus("login", 2, AgentStatus::kTerminated);
  EXPECT_EQ(Before("login").exit->cause, ExitCause::kUnknown);
  EXPECT_EQ(Before("login").exit->code, 0);
  EXPECT_THAT(Why("login"), HasSubstr("exit code 0 in the middle of its work"));
  ExpectAllDoneOnce();
}

TEST_F(GuardEndsTest, AFinishedRunStaysFinished) {
  StartGuardian();
  LetItGo();
  Spawn("login", {AgentScript("login", ThreeSteps(EndsWith(kOther)))});
  AwaitStatus("login", 1, AgentStatus::kTerminated);
  EXPECT_EQ(Present("login").exit->cause, ExitCause::kClean);
  AwaitATurn();
  EXPECT_TRUE(Is("login", 1, AgentStatus::kTerminated));
  ExpectAllDoneOnce();
}

TEST_F(GuardEndsTest, AStopInTheMiddleOfATurnStaysAStop) {
  StartGuardian();
  StartWaiting(EndsWith(kOther));
  EXPECT_EQ(Belay({"stop", "login"}).exit_code, 0);
  AwaitStatus("login", 1, AgentStatus::kTerminated);
  EXPECT_EQ(Present("login").exit->cause, ExitCause::kStopped);
  AwaitATurn();
  EXPECT_TRUE(Is("login", 1, AgentStatus::kTerminated));
}

// It ignores that its terminal is closed: as long as it lives there is no second one.
TEST_F(GuardEndsTest, AnAgentThatSurvivesGuardianAndExecIsNotDoubled) {
  Process& guardian = StartGuardian();
  const Identity agent = Start("login", "trap '' HUP\nsleep 600 & wait\nsleep 600 & wait\n");
  KillGuardian(guardian);
  Kill(*agent.parent);
  AwaitGone(*agent.parent);
  StartGuardian();
  AwaitATurn();
  EXPECT_TRUE(Is("login", 1, AgentStatus::kAlive));
  for (const std::string& id : Incarnations("login")) EXPECT_EQ(id, "orchestrator-login#1");
  Kill(*agent.process);
  AwaitStatus("login", 2, AgentStatus::kAlive);
  for (const std::string& id : Incarnations("login")) EXPECT_EQ(id, "orchestrator-login#2");
}

// Killed again and again with its exec, it still goes on where it was: its text isn't to blame.
TEST_F(GuardEndsTest, UnseenEndsSayNothingAgainstTheResumeText) {
  StartGuardian();
  Identity agent = Start("login");
  for (std::uint32_t incarnation = 2; incarnation < 5; ++incarnation) {
    Kill(*agent.parent);
    agent = AwaitStatus("login", incarnation, AgentStatus::kAlive);
    EXPECT_EQ(agent.restart.failed_resumes, 0U);
  }
}

}  // namespace
}  // namespace belay
