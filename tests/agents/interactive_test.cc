// The agent as people use it, on the terminal that belay gives it, without print mode: it starts
// without asking anything, comes back into its conversation after a kill, and ends when a user
// types that it should.

#include <gmock/gmock.h>

#include "agents/hooked_world.h"
#include "host/attach.h"

namespace belay {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kFirstPrompt = "I begin with the pears.";  // only in the conversation
constexpr std::string_view kControlC = "\x03";
constexpr std::string_view kEscape = "\x1B";

class InteractiveScenario : public HookedWorld {
 protected:
  // What a person answers once: the welcome, whether the key and the folder may be used, and
  // whether it may do without asking.
  void AnswerWhatItWouldAsk() {
    const Json trusted =
        MakeObject({{"hasTrustDialogAccepted", true}, {"hasCompletedProjectOnboarding", true}});
    const Json keys = MakeObject({{"approved", Json::Array{environment_["ANTHROPIC_API_KEY"]}},
                                  {"rejected", Json::Array{}}});
    folder_.Write("config/.claude.json",
                  WriteJson(MakeObject({{"hasCompletedOnboarding", true},
                                        {"bypassPermissionsModeAccepted", true},
                                        {"customApiKeyResponses", keys},
                                        {"projects", MakeObject({{project_.Root(), trusted}})}})));
  }
  void AddTool() {
    script_.Step("begins")
        .IfUserSays("make it whole")
        .Once()
        .Says(kFirstPrompt)
        .RunsBash("echo $$ > tool.pid; sleep 600");
  }
  void AwaitTool() {
    ASSERT_TRUE(AwaitFile("tool.pid")) << Screen();
    ASSERT_TRUE(AwaitWritten("sleep 600"));
  }
  void BeginInteractive() {
    SuperviseWithoutBackoff();
    ASSERT_NO_FATAL_FAILURE(InstallHooks());
    AnswerWhatItWouldAsk();
    Play(script_);
    guardian_ = &StartGuardian();
    Spawn("a", {ClaudeProgram(), "--dangerously-skip-permissions"}, {"--prompt", "make it whole"});
    session_ = AwaitSession("a");
  }
  void Type(std::string_view keys) {
    const Result<void> typed = TypeInto(project_, Present("a").id.identity(), keys, kBound);
    ASSERT_TRUE(typed.ok()) << typed.error().message;
  }
  // Words on its screen, which may stand apart there.
  bool AwaitOnScreen(const std::string& word) {
    return Await([&] { return Screen().find(word) != std::string::npos; });
  }
  std::string Screen() { return Belay({"logs", "a"}).out; }
  void ExpectCleanEnd(std::uint32_t incarnation) {
    const Identity ended = AwaitStatus("a", incarnation, AgentStatus::kTerminated);
    EXPECT_EQ(ended.exit->cause, ExitCause::kClean);
    AwaitATurn();
    EXPECT_TRUE(Is("a", incarnation, AgentStatus::kTerminated));
  }

  ModelScript script_;
  std::string session_;
};

TEST_F(InteractiveScenario, ContinuesAfterAKillAndEndsWhenAskedTo) {
  script_.Step("goes on")
      .IfUserSays(kContinuation)
      .Once()
      .RunsBash("echo whole > whole.txt && echo whole was made");
  script_.Step("ends").IfUserSays("whole was made").Says("All done.");
  AddTool();
  ASSERT_NO_FATAL_FAILURE(BeginInteractive());
  ASSERT_NO_FATAL_FAILURE(AwaitTool());
  SignalAgent("a", SIGKILL);
  AwaitStatus("a", 2, AgentStatus::kAlive);
  ASSERT_TRUE(AwaitAnswered("ends", "whole")) << Screen();
  EXPECT_EQ(folder_.Read("repo/whole.txt"), "whole\n");
  const std::vector<Json> requests = Model().AnsweredBy("goes on");
  ASSERT_EQ(requests.size(), 1U);
  EXPECT_TRUE(ModelLog::Tells(requests[0], kFirstPrompt));
  // Older versions also begin a file that no message gets into.
  EXPECT_EQ(TranscriptPaths(ConfigFolder()).size(), ClaudeIsAtLeast(2, 1) ? 1U : 2U);
  EXPECT_EQ(AwaitSession("a"), session_);
  EXPECT_THAT(Why("a"), HasSubstr("in the same conversation"));
  ASSERT_TRUE(AwaitWritten("All done."));
  ASSERT_NO_FATAL_FAILURE(Type("/exit"));
  ASSERT_TRUE(AwaitOnScreen("/exit")) << Screen();
  ASSERT_NO_FATAL_FAILURE(Type("\r"));
  ExpectCleanEnd(2);
}

// Neither Esc nor a single Ctrl-C ends it, and the end by two is no crash.
TEST_F(InteractiveScenario, AnInterruptEndsTheTurnAndTwoMoreTheAgent) {
  AddTool();
  ASSERT_NO_FATAL_FAILURE(BeginInteractive());
  ASSERT_NO_FATAL_FAILURE(AwaitTool());
  // Older versions take no Ctrl-C while a tool runs.
  ASSERT_NO_FATAL_FAILURE(Type(ClaudeIsAtLeast(2, 1) ? kControlC : kEscape));
  ASSERT_TRUE(AwaitWritten("interrupted by user")) << Screen();
  EXPECT_TRUE(Is("a", 1, AgentStatus::kAlive));
  ASSERT_NO_FATAL_FAILURE(Type(kControlC));
  ASSERT_TRUE(AwaitOnScreen("again")) << Screen();
  ASSERT_NO_FATAL_FAILURE(Type(kControlC));
  ExpectCleanEnd(1);
}

}  // namespace
}  // namespace belay
