#include "engine/events/open_work.h"

#include <gtest/gtest.h>

namespace belay {
namespace {

using E = EventKind;

WallTime At(int second) { return WallTime() + std::chrono::seconds(second); }

AgentEvent Start(std::string source) {
  return {.kind = EventKind::kSessionStarted, .at = At(10), .detail = std::move(source)};
}
AgentEvent Plain(EventKind kind) { return {.kind = kind, .at = At(20)}; }
AgentEvent Call(EventKind kind, std::string id, std::string sub_agent = "") {
  AgentEvent event{.kind = kind, .at = At(30)};
  event.call = std::move(id);
  event.nested = !sub_agent.empty();
  event.sub_agent = std::move(sub_agent);
  return event;
}
AgentEvent SubagentStop(std::string sub_agent) {
  AgentEvent event = Call(E::kSubAgentEnded, "", std::move(sub_agent));
  return event;
}

OpenWork After(const std::vector<AgentEvent>& events) {
  OpenWork work;
  for (const AgentEvent& event : events) AddWork(work, event);
  return work;
}
// Without a transcript, and without a user who left.
bool Unfinished(const std::vector<AgentEvent>& events) {
  return IsUnfinished(After(events), {}, false);
}

// The events of the real program in its various ways to end.
TEST(OpenWorkTest, ARunThatFinishesNormallyIsFinished) {
  EXPECT_FALSE(
      Unfinished({Start("startup"), Plain(E::kPromptSubmitted), Call(E::kToolStarting, "a"),
                  Call(E::kToolStarting, "b"), Call(E::kToolFinished, "a"),
                  Call(E::kToolFailed, "b"), Plain(E::kTurnEnded), Plain(E::kSessionEnded)}));
  EXPECT_FALSE(Unfinished({}));
  EXPECT_FALSE(
      Unfinished({Start("startup"), Plain(E::kSessionEnded)}));  // a command without a model
}

TEST(OpenWorkTest, ARunThatIsCutOffIsUnfinished) {
  EXPECT_TRUE(Unfinished({Start("startup"), Plain(E::kPromptSubmitted), Plain(E::kSessionEnded)}));
  EXPECT_TRUE(Unfinished(
      {Plain(E::kPromptSubmitted), Call(E::kToolStarting, "a"), Plain(E::kSessionEnded)}));
  EXPECT_TRUE(Unfinished({Plain(E::kPromptSubmitted), Call(E::kToolStarting, "a"),
                          Call(E::kToolFinished, "a"), Plain(E::kSessionEnded)}));
  EXPECT_TRUE(
      Unfinished({Plain(E::kPromptSubmitted), Plain(E::kTurnEnded), Plain(E::kPromptSubmitted)}));
}

TEST(OpenWorkTest, AStopThatBelayAnsweredWithMessagesDoesNotEndTheTurn) {
  EXPECT_TRUE(Unfinished({Plain(E::kPromptSubmitted), Plain(E::kTurnEnded), Plain(E::kTurnGoesOn),
                          Plain(E::kSessionEnded)}));
  EXPECT_FALSE(Unfinished({Plain(E::kPromptSubmitted), Plain(E::kTurnEnded), Plain(E::kTurnGoesOn),
                           Plain(E::kTurnEnded)}));
}

TEST(OpenWorkTest, AFailedTurnHasEndedToo) {
  EXPECT_FALSE(Unfinished({Plain(E::kPromptSubmitted), Plain(E::kTurnFailed)}));
}

TEST(OpenWorkTest, ARefusedCallIsClosedByTheEndOfTheTurn) {
  EXPECT_FALSE(Unfinished({Plain(E::kPromptSubmitted), Call(E::kToolStarting, "refused"),
                           Call(E::kToolStarting, ""), Plain(E::kTurnEnded)}));
}

TEST(OpenWorkTest, CallsWithoutAnIdAreCounted) {
  EXPECT_EQ(
      After({Call(E::kToolStarting, ""), Call(E::kToolStarting, ""), Call(E::kToolFinished, "")})
          .calls.size(),
      1U);
}

TEST(OpenWorkTest, ASubAgentThatWorksOnBehindTheTurnIsUnfinished) {
  const std::vector<AgentEvent> works = {Plain(E::kPromptSubmitted),
                                         Call(E::kToolStarting, "a", "sub"), Plain(E::kTurnEnded)};
  EXPECT_TRUE(Unfinished(works));
  std::vector<AgentEvent> other = works;
  other.push_back(SubagentStop("another"));
  EXPECT_TRUE(Unfinished(other));
  std::vector<AgentEvent> done = works;
  done.push_back(Call(E::kToolFinished, "a", "sub"));
  EXPECT_FALSE(Unfinished(done));
  std::vector<AgentEvent> stopped = works;
  stopped.push_back(SubagentStop("sub"));
  EXPECT_FALSE(Unfinished(stopped));
  EXPECT_FALSE(IsUnfinished(After(works), {}, true));  // at /exit the user decides about it
}

TEST(OpenWorkTest, ACompactionWithinATurnEndsNothing) {
  EXPECT_TRUE(Unfinished({Plain(E::kPromptSubmitted), Start("compacted")}));
}

TEST(OpenWorkTest, AnotherProgramOrAClearedConversationBeginsAtNothing) {
  for (const char* source : {"startup", "clear"}) {
    EXPECT_EQ(After({Plain(E::kPromptSubmitted), Call(E::kToolStarting, "a"), Start(source)}),
              OpenWork{});
  }
}

TEST(OpenWorkTest, WhoWasResumedHasSomethingToDo) {
  EXPECT_TRUE(Unfinished({Start("resumed"), Plain(E::kSessionEnded)}));
  EXPECT_FALSE(IsUnfinished(After({Start("resumed")}), {}, true));
}

// Row by row, as in the header.
TEST(OpenWorkTest, TheConversationDecidesWhereHooksLeaveADoubt) {
  using H = ReportedTurn;
  using W = TurnWritten;
  struct Row {
    ReportedTurn turn;
    TurnWritten written;
    int at;  // the turn was opened at 20
    bool with_person;
    bool without;
  };
  const Row rows[] = {
      {H::kEnded, W::kWithin, 30, false, true},      {H::kEnded, W::kWithin, 5, false, false},
      {H::kEnded, W::kInterrupted, 30, false, true}, {H::kEnded, W::kEnded, 30, false, false},
      {H::kEnded, W::kNothing, 0, false, false},     {H::kNone, W::kWithin, 5, false, true},
      {H::kNone, W::kNothing, 0, false, false},      {H::kNone, W::kEnded, 5, false, false},
      {H::kNone, W::kInterrupted, 5, false, false},  {H::kResumed, W::kEnded, 30, false, false},
      {H::kResumed, W::kEnded, 5, false, true},      {H::kResumed, W::kWithin, 5, false, true},
      {H::kOpen, W::kEnded, 30, false, false},       {H::kOpen, W::kEnded, 5, false, true},
      {H::kOpen, W::kWithin, 30, true, true},        {H::kOpen, W::kInterrupted, 30, false, true},
      {H::kOpen, W::kNothing, 0, false, true},
  };
  for (const Row& row : rows) {
    const OpenWork work{.turn = row.turn, .since = At(20)};
    const ConversationTurn turn{row.written, At(row.at)};
    EXPECT_EQ(IsUnfinished(work, turn, true), row.with_person) << &row - rows;
    EXPECT_EQ(IsUnfinished(work, turn, false), row.without) << &row - rows;
  }
}

TEST(OpenWorkTest, HearingTheSameEndingTwiceChangesNothing) {
  const std::vector<AgentEvent> events = {Start("startup"),
                                          Plain(E::kPromptSubmitted),
                                          Call(E::kToolStarting, "a"),
                                          Call(E::kToolFinished, "a"),
                                          Call(E::kToolStarting, "b"),
                                          Call(E::kToolStarting, "c", "sub")};
  const OpenWork whole = After(events);
  for (std::size_t from = 0; from <= events.size(); ++from) {
    OpenWork again = whole;
    for (std::size_t i = from; i < events.size(); ++i) AddWork(again, events[i]);
    EXPECT_EQ(again, whole) << from;
  }
}

}  // namespace
}  // namespace belay
