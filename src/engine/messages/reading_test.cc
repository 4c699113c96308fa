#include "engine/messages/reading.h"

#include <gtest/gtest.h>

namespace belay {
namespace {

WallTime At(int second) { return WallTime() + std::chrono::seconds(second); }

Delivery GivenBy(std::string_view by) {
  const AgentId agent(*IdentityName::Make("orchestrator", "a"), 1);
  Delivery given{.id = "1", .agent = agent, .type = SignalType::kGuidance, .from = "person"};
  given.state = DeliveryState::kGiven;
  given.by = by;
  given.session = "s1";
  given.delivered_at = At(20);
  return given;
}

bool Shown(std::string_view by, const std::vector<std::string>& later) {
  std::vector<AgentEvent> events = {{.name = "Stop", .at = At(10), .session = "s1"}};
  for (const std::string& name : later) events.push_back({name, At(30), "", "s1"});
  return EventsShowReading(GivenBy(by), events);
}

TEST(ReadingTest, AnEventThatTakesAnAnswerOfTheModelShowsThatItHasRead) {
  EXPECT_TRUE(Shown("Stop", {"TurnGoesOn", "PreToolUse"}));
  EXPECT_TRUE(Shown("Stop", {"Stop"}));
  EXPECT_TRUE(Shown("UserPromptSubmit", {"PostToolUseFailure"}));
  EXPECT_TRUE(Shown("PostToolUse", {"PostToolUse", "Stop"}));
  EXPECT_TRUE(Shown("PostToolUse", {"PreToolUse"}));
  EXPECT_TRUE(Shown("resume text", {"SessionStart", "UserPromptSubmit", "PreToolUse"}));
}

TEST(ReadingTest, OthersDoNot) {
  EXPECT_FALSE(Shown("Stop", {}));
  EXPECT_FALSE(Shown("Stop", {"TurnGoesOn", "SessionEnd"}));
  EXPECT_FALSE(Shown("Stop", {"Notification", "UserPromptSubmit", "Stop"}));
  EXPECT_FALSE(Shown("PostToolUse", {"PostToolUse"})) << "a call of the same answer";
  EXPECT_FALSE(Shown("PreToolUse", {"PostToolUse", "SessionEnd"}));
  EXPECT_FALSE(Shown("resume text", {"SessionStart", "UserPromptSubmit"}));
  AgentEvent other{.name = "Stop", .at = At(30), .session = "s2"};
  EXPECT_FALSE(EventsShowReading(GivenBy("Stop"), {&other, 1}));
  other.session = "s1";
  other.nested = true;
  EXPECT_FALSE(EventsShowReading(GivenBy("Stop"), {&other, 1}));
}

// Row by row, as in the header.
TEST(ReadingTest, TheTranscriptDecidesWhereThereIsOne) {
  const auto judge = [](std::string_view by, ReadingEvidence evidence) {
    return JudgeReading(GivenBy(by), evidence);
  };
  using R = Reading;
  EXPECT_EQ(judge("Stop", {.readable = true, .event = true}), R::kUnknown);
  EXPECT_EQ(judge("Stop", {.readable = true, .written = true, .answered = true}), R::kRead);
  EXPECT_EQ(judge("Stop", {.readable = true, .written = true, .ended = true, .last = true}),
            R::kUnread);
  EXPECT_EQ(judge("PostToolUse", {.readable = true, .written = true}), R::kUnknown);
  EXPECT_EQ(judge("PostToolUse", {.readable = true, .written = true, .ended = true, .last = true}),
            R::kRead);
  EXPECT_EQ(judge("PostToolUse", {.readable = true, .written = true, .ended = true}), R::kUnread)
      << "no successor goes on with that conversation";
  EXPECT_EQ(judge("PostToolUse", {.event = true}), R::kRead);
  EXPECT_EQ(judge("PostToolUse", {}), R::kUnknown);
  EXPECT_EQ(judge("PostToolUse", {.ended = true, .clean = true}), R::kUnread);
}

TEST(ReadingTest, WhatIsInTheResumeTextIsReadWhenTheSuccessorWorks) {
  const auto judge = [](ReadingEvidence evidence) {
    return JudgeReading(GivenBy("resume text"), evidence);
  };
  EXPECT_EQ(judge({}), Reading::kUnknown);
  EXPECT_EQ(judge({.readable = true, .event = true}), Reading::kRead);
  EXPECT_EQ(judge({.ended = true}), Reading::kUnread);
  EXPECT_EQ(judge({.ended = true, .clean = true}), Reading::kRead) << "without hooks";
  EXPECT_EQ(judge({.ended = true, .hooks = true, .clean = true}), Reading::kUnread);
}

}  // namespace
}  // namespace belay
