// How the agent ends when the model refuses to the end: what belay has to tell apart. The agent
// tries again ten times in three minutes by itself; here it does so once.

#include <gmock/gmock.h>

#include "agents/claude_world.h"

namespace belay {
namespace {

using ::testing::HasSubstr;

struct Failure {
  int status;
  std::string message;
  std::string error;        // in the hook's input and in the transcript
  std::string older_error;  // in the transcript of versions before 2.1
  std::size_t requests;     // that were made
};

class FailureScenario : public ClaudeWorld {
 protected:
  void ExpectEnd(const Failure& failure) {
    ModelScript script;
    script.Step("fails").IfUserSays("do it").Fails(failure.status, failure.message);
    Play(script);
    environment_["CLAUDE_CODE_MAX_RETRIES"] = "1";
    // One unknown event, and older versions take no hook at all.
    if (ClaudeIsAtLeast(2, 1)) RecordHooks({"StopFailure", "Stop"});
    if (!ClaudeIsAtLeast(2, 1)) RecordHooks({"Stop"});
    const ClaudeEnd end = RunClaude({"do it"});
    EXPECT_EQ(end.status, ExitStatus::Exited(1));
    EXPECT_EQ(end.errors, "");
    // Older versions then try once more without a stream.
    const std::size_t more = ClaudeIsAtLeast(2, 1) ? 0 : 1;
    EXPECT_EQ(Model().AnsweredBy("fails").size(), failure.requests + more);
    ExpectHook(failure);
    ExpectLastLine(failure);
  }
  // Older versions say that they stopped, and not that they failed. Newer ones say it, but end the
  // hook when they end, and don't wait for it: it may say nothing.
  void ExpectHook(const Failure& failure) {
    EXPECT_EQ(HookInputs("Stop").size(), ClaudeIsAtLeast(2, 1) ? 0U : 1U);
    const std::vector<Json> failures = HookInputs("StopFailure");
    EXPECT_LE(failures.size(), ClaudeIsAtLeast(2, 1) ? 1U : 0U);
    for (const Json& input : failures) EXPECT_EQ(Text(input, "error"), failure.error);
  }
  // The last thing that was said is the error, in the agent's words.
  void ExpectLastLine(const Failure& failure) {
    const Transcript transcript = LastTranscript();
    const Json* last = nullptr;
    for (const Json& line : transcript.lines) {
      if (Text(line, "type") == "assistant") last = &line;
    }
    ASSERT_NE(last, nullptr);
    const bool newer = ClaudeIsAtLeast(2, 1);
    EXPECT_EQ(*last->Find("isApiErrorMessage"), Json(true));
    EXPECT_EQ(Text(*last, "error"), newer ? failure.error : failure.older_error);
    EXPECT_EQ(Text(*last->Find("message"), "model"), "<synthetic>");
    const Json* status = last->Find("apiErrorStatus");
    EXPECT_EQ(status != nullptr ? *status : Json(), newer ? Json(failure.status) : Json());
  }
};

TEST_F(FailureScenario, ARateLimitEndsIt) {
  ExpectEnd({429, "This request would exceed your rate limit.", "rate_limit", "unknown", 2});
}
TEST_F(FailureScenario, AnOverloadEndsIt) {
  ExpectEnd({529, "Overloaded", "server_error", "unknown", 2});
}
TEST_F(FailureScenario, AServerErrorEndsIt) {
  ExpectEnd({500, "Internal server error", "server_error", "unknown", 2});
}
TEST_F(FailureScenario, AWrongKeyEndsIt) {
  ExpectEnd({401, "invalid x-api-key", "authentication_failed", "authentication_failed", 2});
}
TEST_F(FailureScenario, AnAccountWithoutCreditEndsIt) {
  ExpectEnd({400, "Your credit balance is too low to access the Anthropic API.", "billing_error",
             "billing_error", 1});
}
TEST_F(FailureScenario, AFirstPromptThatIsTooLongEndsIt) {
  ExpectEnd({400, "prompt is too long: 210000 tokens > 200000 maximum", "invalid_request",
             "invalid_request", 1});
}

TEST_F(FailureScenario, ALongRateLimitEndsItAtOnce) {
  if (!ClaudeIsAtLeast(2, 1)) GTEST_SKIP() << "older versions do not end at once";
  const Failure failure = {429, "later", "rate_limit", "", 1};
  ModelScript script;
  script.Step("fails")
      .IfUserSays("do it")
      .Fails(failure.status, failure.message)
      .WithHeader("retry-after", "3600");
  Play(script);
  EXPECT_EQ(RunClaude({"do it"}).status, ExitStatus::Exited(1));
  EXPECT_EQ(Model().AnsweredBy("fails").size(), failure.requests);
  ExpectLastLine(failure);
}

}  // namespace
}  // namespace belay
