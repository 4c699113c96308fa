#include "adapters/claude/events.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace belay {
namespace {

// A fake program with this answer.
class FakePrograms final : public Programs {
 public:
  explicit FakePrograms(Result<ProgramResult> answer) : answer_(std::move(answer)) {}
  Result<ProgramResult> Run(const ProgramRequest& request) override {
    EXPECT_EQ(request.command, (std::vector<std::string>{"claude", "--version"}));
    return answer_;
  }

 private:
  Result<ProgramResult> answer_;
};

std::string Parsed(std::string_view text) {
  const auto version = ParseClaudeVersion(text);
  return version ? version->text() : "-";
}

TEST(ClaudeEventsTest, ReadsTheVersionThatClaudePrints) {
  EXPECT_EQ(Parsed("2.1.325 (Claude Code)\n"), "2.1.325");
  EXPECT_EQ(Parsed("2.0.77"), "2.0.77");
  EXPECT_EQ(Parsed("3.0.0-beta.1 (Claude Code)"), "3.0.0");
  for (const std::string text : {"", "2.1", "2.1.", "v2.1.3", "2.-1.3", "2.1.3x", "2.1.3.4",
                                 "99999999999.1.1", "Claude 2.1.3"}) {
    EXPECT_EQ(Parsed(text), "-") << text;
  }
}

TEST(ClaudeEventsTest, OrdersVersionsByNumber) {
  EXPECT_LT((ClaudeVersion{2, 0, 77}), (ClaudeVersion{2, 1, 3}));
  EXPECT_LT((ClaudeVersion{2, 1, 9}), (ClaudeVersion{2, 1, 10}));
}

TEST(ClaudeEventsTest, DistinguishesAMissingProgramFromAnUnknownVersion) {
  FakePrograms none(Error{ErrorCode::kNotFound, "run claude: gone"});
  EXPECT_EQ(AskClaudeVersion(none).error().code, ErrorCode::kNotFound);
  FakePrograms odd(ProgramResult{0, "hello", ""});
  EXPECT_EQ(AskClaudeVersion(odd).error().message, "claude --version prints \"hello\"");
  FakePrograms failing(ProgramResult{1, "2.1.3", ""});
  EXPECT_EQ(AskClaudeVersion(failing).error().code, ErrorCode::kFailed);
  FakePrograms good(ProgramResult{0, "2.1.325 (Claude Code)\n", ""});
  EXPECT_EQ(*AskClaudeVersion(good), (ClaudeVersion{2, 1, 325}));
}

TEST(ClaudeEventsTest, EveryEventStandsOnceAndNoneIsOlderThanWhatIsSupported) {
  for (const ClaudeEvent& event : ClaudeEvents()) {
    EXPECT_EQ(std::ranges::count(ClaudeEvents(), event.name, &ClaudeEvent::name), 1);
    EXPECT_GE(event.since, kOldestClaude);
    EXPECT_EQ(FindClaudeEvent(event.name)->name, event.name);
  }
  EXPECT_EQ(FindClaudeEvent("Nonsense"), nullptr);
}

TEST(ClaudeEventsTest, KnowsWhatMakesAVersionIgnoreItsSettings) {
  EXPECT_TRUE(IsFatalEvent("PostCompact", {2, 1, 75}));
  EXPECT_FALSE(IsFatalEvent("PostCompact", {2, 1, 76}));
  EXPECT_FALSE(IsFatalEvent("Stop", {2, 0, 77}));
  EXPECT_TRUE(IsFatalEvent("WorktreeCreate", {2, 0, 77}));
  EXPECT_FALSE(IsFatalEvent("SubagentStart", {2, 0, 77}));
  EXPECT_TRUE(IsFatalEvent("Nonsense", {2, 1, 100}));
  EXPECT_FALSE(IsFatalEvent("Nonsense", {2, 1, 101}));
}

}  // namespace
}  // namespace belay
