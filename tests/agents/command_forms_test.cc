// The ways in which people start the real Claude Code: options in any order, scripts that call it
// twice, a new prompt for a conversation that goes on. No text gets lost, and no step runs twice.

#include "agents/six_steps_world.h"
#include "host/launch.h"

namespace belay {
namespace {

using ::testing::HasSubstr;

class CommandFormsScenario : public SixStepsWorld {
 protected:
  std::string WrapperOf(const std::vector<std::string>& prompts) {
    std::string text;
    for (const std::string& prompt : prompts) {
      text += fmt::format(
          "sh -c 'echo $$ >claude.pid; exec claude -p \"{}\" --dangerously-skip-permissions'\n",
          prompt);
    }
    return AgentScript("a", text);
  }
};

TEST_F(CommandFormsScenario, AnOptionWithAValueBeforeThePromptHidesNothing) {
  if (!ClaudeIsAtLeast(2, 1)) GTEST_SKIP() << "it has no --debug-file";
  ASSERT_NO_FATAL_FAILURE(InstallHooks());
  ASSERT_NO_FATAL_FAILURE(
      SpawnAndKill({"claude", "-p", "--dangerously-skip-permissions", "--debug-file",
                    folder_ / "tmp/log", "--max-turns", "30", std::string(kJob)}));
  ExpectSameConversation();
}

// belay can't tell the tag from the prompt, so the SessionStart hook gives the text.
TEST_F(CommandFormsScenario, AnUnknownOptionBeforeThePromptHidesNothing) {
  if (!ClaudeIsAtLeast(2, 1)) GTEST_SKIP() << "it has no --workload";
  ASSERT_NO_FATAL_FAILURE(InstallHooks());
  ASSERT_NO_FATAL_FAILURE(SpawnAndKill(
      {"claude", "-p", "--dangerously-skip-permissions", "--workload", "tag", std::string(kJob)}));
  ExpectSameConversation();
  EXPECT_TRUE(Model().WasSent("It is not a new task"));
  EXPECT_THAT(Why("a"), HasSubstr("its first hook delivers the resume text"));
}

TEST_F(CommandFormsScenario, TheTaskArrivesBesideAnyOption) {
  ASSERT_NO_FATAL_FAILURE(InstallHooks());
  Play(script_);
  StartGuardian();
  for (const char* option : {"--max-turns", "--workload"}) {
    if (!ClaudeIsAtLeast(2, 1) && option == std::string("--workload")) continue;
    const std::string name = std::string("b") + option[2];
    const std::string task = "also paint it blue " + name;
    Spawn(name, {"claude", "-p", option, "3", "make a plan"}, {"--prompt", task});
    AwaitStatus(name, 1, AgentStatus::kTerminated);
    EXPECT_TRUE(Model().WasSent("make a plan"));
    EXPECT_TRUE(Model().WasSent(task)) << option;
  }
}

TEST_F(CommandFormsScenario, ASuccessorOfAScriptContinuesInItsSecondCall) {
  ASSERT_NO_FATAL_FAILURE(InstallHooks());
  ASSERT_NO_FATAL_FAILURE(SpawnAndKill({WrapperOf({"make a plan", std::string(kJob)})}));
  ExpectEachStepOnce();
  EXPECT_TRUE(Model().WasSent("got this text before you"));
}

// As the kernel does for lack of memory: the script goes on and ends with 0.
TEST_F(CommandFormsScenario, AScriptWhoseFirstCallWasKilledHasNotFinished) {
  ASSERT_NO_FATAL_FAILURE(InstallHooks());
  ASSERT_NO_FATAL_FAILURE(SpawnUpToStepThree({WrapperOf({std::string(kJob), "sum it up"})}));
  const Result<Process> claude = Process::Open(std::stoi(folder_.Read("repo/claude.pid")));
  ASSERT_TRUE(claude.ok() && claude->Signal(SIGKILL).ok());
  ExpectEachStepOnce();
  EXPECT_THAT(Why("a"), HasSubstr("exit code 0 in the middle of its work"));
}

// Claude Code reads the settings of the folder that it works in, so belay gives it the hooks.
TEST_F(CommandFormsScenario, AShellThatFirstChangesTheFolderRestartsInItsConversation) {
  ASSERT_NO_FATAL_FAILURE(InstallHooks());
  folder_.MakeFolder("repo/sub");
  script_ = ScriptIn("..");
  ASSERT_NO_FATAL_FAILURE(SpawnAndKill(
      {"sh", "-c", fmt::format("cd sub && claude -p '{}' --dangerously-skip-permissions", kJob)}));
  ExpectSameConversation();
  EXPECT_EQ(Before("a").kind_source, KindSource::kCommand);
}

// A script is only understood by its processes. What it costs is reported.
TEST_F(CommandFormsScenario, AScriptInAFolderWithoutHooksIsReported) {
  if (!ClaudeIsAtLeast(2, 1)) GTEST_SKIP() << "it doesn't write down which conversation it is in";
  ASSERT_NO_FATAL_FAILURE(InstallHooks());
  folder_.MakeFolder("repo/sub");
  script_ = ScriptIn("..");
  ASSERT_NO_FATAL_FAILURE(SpawnUpToStepThree({AgentScript(
      "a",
      fmt::format("cd sub\nclaude -p '{}' --dangerously-skip-permissions\nexit $?\n", kJob))}));
  EXPECT_EQ(AwaitSession("a"), LastSession());
  EXPECT_EQ(Present("a").kind_source, KindSource::kProcesses);
  EXPECT_TRUE(Await(
      [&] { return Why("a").find("its Claude Code has called no hooks") != std::string::npos; }));
}

// It ends with exit code 0 then. Only the conversation says that it was in the middle of a turn.
TEST_F(CommandFormsScenario, AnInterruptedOneWithoutHooksHasNotFinished) {
  if (!ClaudeIsAtLeast(2, 1)) GTEST_SKIP() << "it doesn't write down which conversation it is in";
  ASSERT_NO_FATAL_FAILURE(SpawnUpToStepThree(Claude()));
  AwaitSession("a");
  SignalAgent("a", SIGINT);
  ExpectSameConversation();
  EXPECT_THAT(Why("a"), HasSubstr("exit code 0 in the middle of its work"));
}

// Its hooks don't know the agent's name; the belay exec above them does.
TEST_F(CommandFormsScenario, ACommandThatClearsItsEnvironmentIsOneAgent) {
  ASSERT_NO_FATAL_FAILURE(InstallHooks());
  SuperviseWithoutBackoff();
  Play(script_);
  StartGuardian();
  std::vector<std::string> command = {"timeout", "600", "env", "-i"};
  for (const auto& [name, value] : environment_) command.push_back(name + "=" + value);
  for (const std::string& word : Claude()) command.push_back(word);
  Spawn("a", command);
  ASSERT_TRUE(AwaitFile("tool.pid"));
  ASSERT_TRUE(AwaitWritten("sleep 600"));
  EXPECT_EQ(AwaitSession("a"), LastSession());
  const Json agents = Agents(true);
  for (const Json& agent : *agents.AsArray()) {
    EXPECT_EQ(Text(agent, "agent_id").find("external"), std::string::npos);
  }
  // The exec too: it can't end what is left, and the environment doesn't say whose it is.
  const Process exec = Open(Present("a").parent.value_or(ProcessMark{}));
  const Process agent = ProcessOf("a");
  ASSERT_TRUE(exec.Signal(SIGKILL).ok());
  ASSERT_TRUE(agent.Signal(SIGKILL).ok());
  ExpectSameConversation();
  EXPECT_THAT(Why("a"), HasSubstr("processes that it left behind"));
}

TEST_F(CommandFormsScenario, ANewPromptForAnEndedAgentReachesItsConversation) {
  ASSERT_NO_FATAL_FAILURE(InstallHooks());
  Play(script_);
  StartGuardian();
  Spawn("a", {"claude", "-p", "make a plan"});
  AwaitStatus("a", 1, AgentStatus::kTerminated);
  Spawn("a", {"claude", "-p", "go on, and sum it up please"}, {"--continue"});
  AwaitStatus("a", 2, AgentStatus::kTerminated);
  const std::vector<Json> requests = Model().AnsweredBy("sums up");
  ASSERT_EQ(requests.size(), 1U);
  EXPECT_TRUE(ModelLog::Tells(requests[0], "The plan is made."));
  EXPECT_THAT(Why("a"), HasSubstr("in the same conversation"));
}

}  // namespace
}  // namespace belay
