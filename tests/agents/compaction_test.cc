// The agent alone sums up what was said when it gets too long, and goes on.

#include <gmock/gmock.h>

#include "agents/claude_world.h"

namespace belay {
namespace {

using ::testing::Contains;

constexpr std::string_view kSummary = "Two things were echoed, and the third is to come.";

class CompactionScenario : public ClaudeWorld {
 protected:
  // The request for a summary, by the program or the user.
  static void AddSummary(ModelScript& script) {
    script.Step("sums up")
        .IfUserSays("summary of the conversation")
        .WithOrWithoutTools()
        .Says(std::string("<summary>") + std::string(kSummary) + "</summary>");
  }
  static void AddTwoTools(ModelScript& script) {
    script.Step("one").IfUserSays("do it").Once().RunsBash("echo thing one");
    script.Step("two").IfUserSays("thing one").Once().RunsBash("echo thing two");
  }
  // What came after the summary knows it, and not what was said before.
  void ExpectGoesOnWithTheSummary() {
    const std::vector<Json> requests = Model().AnsweredBy("after");
    ASSERT_EQ(requests.size(), 1U);
    EXPECT_TRUE(ModelLog::Tells(requests[0], kSummary));
    EXPECT_FALSE(ModelLog::Tells(requests[0], "thing one"));
    EXPECT_THAT(KindsOf(LastTranscript()), Contains("system/compact_boundary"));
    EXPECT_EQ(TranscriptPaths(ConfigFolder()).size(), 1U);
  }
  void ExpectCompactsByItself() {
    RecordHooks({"PreCompact", "SessionStart"});
    const ClaudeEnd end = RunClaude({"do it"});
    EXPECT_EQ(end.status, ExitStatus::Exited(0)) << end.errors;
    ExpectGoesOnWithTheSummary();
    ASSERT_GE(HookInputs("PreCompact").size(), 1U);
    EXPECT_EQ(Text(HookInputs("PreCompact")[0], "trigger"), "auto");
    ASSERT_EQ(HookInputs("SessionStart").size(), 2U);
    EXPECT_EQ(Text(HookInputs("SessionStart")[1], "source"), "compact");
  }
};

TEST_F(CompactionScenario, CompactsWhenThePromptIsTooLong) {
  if (!ClaudeIsAtLeast(2, 1)) GTEST_SKIP() << "older versions end with an error then";
  ModelScript script;
  AddSummary(script);
  AddTwoTools(script);
  script.Step("too long")
      .IfUserSays("thing two")
      .Once()
      .Fails(400, "prompt is too long: 210000 tokens > 200000 maximum");
  script.Step("after").IfAnywhere(kSummary).Once().Says("All done.");
  Play(script);
  ExpectCompactsByItself();
}

TEST_F(CompactionScenario, CompactsWhenTheContextIsFull) {
  const std::int64_t full = ClaudeIsAtLeast(2, 1) ? 990'000 : 195'000;
  ModelScript script;
  AddSummary(script);
  script.Step("one").IfUserSays("do it").Once().RunsBash("echo thing one");
  script.Step("two")
      .IfUserSays("thing one")
      .Once()
      .WithInputTokens(full)
      .RunsBash("echo thing two");
  script.Step("after").IfAnywhere(kSummary).Once().Says("All done.");
  Play(script);
  ExpectCompactsByItself();
}

TEST_F(CompactionScenario, CompactsWhenAsked) {
  ModelScript script;
  AddSummary(script);
  AddTwoTools(script);
  script.Step("after").IfUserSays("go on").Once().Says("All done.");
  Play(script);
  RecordHooks({"PreCompact"});
  EXPECT_EQ(RunClaude({"do it"}).status, ExitStatus::Exited(0));
  const std::string session = LastSession();
  const ClaudeEnd end = RunClaude({"--resume", session, "/compact"});
  EXPECT_EQ(end.status, ExitStatus::Exited(0)) << end.out;
  ASSERT_GE(HookInputs("PreCompact").size(), 1U);
  EXPECT_EQ(Text(HookInputs("PreCompact")[0], "trigger"), "manual");
  EXPECT_EQ(RunClaude({"--resume", session, "go on"}).status, ExitStatus::Exited(0));
  ExpectGoesOnWithTheSummary();
}

}  // namespace
}  // namespace belay
