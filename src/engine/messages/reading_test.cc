#include <gtest/gtest.h>

#include "engine/messages/message_text.h"

namespace belay {
namespace {

using E = EventKind;

WallTime AfterSeconds(int second) { return WallTime() + std::chrono::seconds(second); }

Delivery GivenBy(std::optional<EventKind> by) {
  const AgentId agent(*IdentityName::Make("orchestrator", "a"), 1);
  Delivery given{.id = "1", .agent = agent, .type = SignalType::kGuidance, .from = "person"};
  given.state = DeliveryState::kGiven;
  given.by = by ? "a name of the agent's" : kByResumeText;
  given.session = "s1";
  given.delivered_at = AfterSeconds(20);
  return given;
}

using By = std::optional<EventKind>;
constexpr By kResumeText = std::nullopt;

bool Shown(By by, const std::vector<EventKind>& later) {
  std::vector<AgentEvent> events = {
      {.kind = EventKind::kTurnEnded, .at = AfterSeconds(10), .session = "s1"}};
  for (const EventKind kind : later) events.push_back({kind, AfterSeconds(30), "", "s1"});
  return EventsShowReading(GivenBy(by), by, events);
}

TEST(ReadingTest, AnEventThatTakesAnAnswerOfTheModelShowsThatItHasRead) {
  EXPECT_TRUE(Shown(E::kTurnEnded, {E::kTurnGoesOn, E::kToolStarting}));
  EXPECT_TRUE(Shown(E::kTurnEnded, {E::kTurnEnded}));
  EXPECT_TRUE(Shown(E::kPromptSubmitted, {E::kToolFailed}));
  EXPECT_TRUE(Shown(E::kToolFinished, {E::kToolFinished, E::kTurnEnded}));
  EXPECT_TRUE(Shown(E::kToolFinished, {E::kToolStarting}));
  EXPECT_TRUE(Shown(kResumeText, {E::kSessionStarted, E::kPromptSubmitted, E::kToolStarting}));
}

TEST(ReadingTest, OthersDoNot) {
  EXPECT_FALSE(Shown(E::kTurnEnded, {}));
  EXPECT_FALSE(Shown(E::kTurnEnded, {E::kTurnGoesOn, E::kSessionEnded}));
  EXPECT_FALSE(Shown(E::kTurnEnded, {E::kNotified, E::kPromptSubmitted, E::kTurnEnded}));
  EXPECT_FALSE(Shown(E::kToolFinished, {E::kToolFinished})) << "a call of the same answer";
  EXPECT_FALSE(Shown(E::kToolStarting, {E::kToolFinished, E::kSessionEnded}));
  EXPECT_FALSE(Shown(kResumeText, {E::kSessionStarted, E::kPromptSubmitted}));
  AgentEvent other{.kind = EventKind::kTurnEnded, .at = AfterSeconds(30), .session = "s2"};
  EXPECT_FALSE(EventsShowReading(GivenBy(E::kTurnEnded), E::kTurnEnded, {&other, 1}));
  other.session = "s1";
  other.nested = true;
  EXPECT_FALSE(EventsShowReading(GivenBy(E::kTurnEnded), E::kTurnEnded, {&other, 1}));
}

// Row by row, as in the header.
TEST(ReadingTest, TheTranscriptDecidesWhereThereIsOne) {
  const auto judge = [](By by, ReadingEvidence evidence) {
    return JudgeReading(GivenBy(by), by, evidence);
  };
  using R = Reading;
  EXPECT_EQ(judge(E::kTurnEnded, {.readable = true, .event = true}), R::kUnknown);
  EXPECT_EQ(judge(E::kTurnEnded, {.readable = true, .written = true, .answered = true}), R::kRead);
  EXPECT_EQ(judge(E::kTurnEnded, {.readable = true, .written = true, .ended = true, .last = true}),
            R::kUnread);
  EXPECT_EQ(judge(E::kToolFinished, {.readable = true, .written = true}), R::kUnknown);
  EXPECT_EQ(
      judge(E::kToolFinished, {.readable = true, .written = true, .ended = true, .last = true}),
      R::kRead);
  EXPECT_EQ(judge(E::kToolFinished, {.readable = true, .written = true, .ended = true}), R::kUnread)
      << "no successor goes on with that conversation";
  EXPECT_EQ(judge(E::kToolFinished, {.event = true}), R::kRead);
  EXPECT_EQ(judge(E::kToolFinished, {}), R::kUnknown);
  EXPECT_EQ(judge(E::kToolFinished, {.ended = true, .clean = true}), R::kUnread);
}

TEST(ReadingTest, WhatIsInTheResumeTextIsReadWhenTheSuccessorWorks) {
  const auto judge = [](ReadingEvidence evidence) {
    return JudgeReading(GivenBy(kResumeText), kResumeText, evidence);
  };
  EXPECT_EQ(judge({}), Reading::kUnknown);
  EXPECT_EQ(judge({.readable = true, .event = true}), Reading::kRead);
  EXPECT_EQ(judge({.ended = true}), Reading::kUnread);
  EXPECT_EQ(judge({.ended = true, .clean = true}), Reading::kRead) << "without hooks";
  EXPECT_EQ(judge({.ended = true, .hooks = true, .clean = true}), Reading::kUnread);
}

}  // namespace
}  // namespace belay
