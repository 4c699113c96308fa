#include "engine/events/hearing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace belay {
namespace {

AgentEvent Call(ActionKind kind, std::string subject = "x") {
  return {
      .kind = EventKind::kToolStarting, .tool = "T", .action = kind, .subject = std::move(subject)};
}

WorkPhase PhaseAfter(WorkPhase start, const std::vector<ActionKind>& calls, bool told = false) {
  Hearing hearing;
  hearing.phase = start;
  hearing.memory.told = told;
  for (const ActionKind kind : calls) Hear(hearing, Call(kind));
  return hearing.phase;
}

TEST(HearingTest, PhasesGoOnAtOnce) {
  EXPECT_EQ(PhaseAfter(WorkPhase::kInvestigation, {ActionKind::kRead, ActionKind::kEdit}),
            WorkPhase::kImplementation);
  EXPECT_EQ(PhaseAfter(WorkPhase::kInvestigation, {ActionKind::kPlan}), WorkPhase::kPlanning);
  EXPECT_EQ(PhaseAfter(WorkPhase::kImplementation, {ActionKind::kTest}), WorkPhase::kTesting);
  EXPECT_EQ(PhaseAfter(WorkPhase::kImplementation, {ActionKind::kCommit}), WorkPhase::kCompletion);
  EXPECT_EQ(PhaseAfter(WorkPhase::kPlanning, {ActionKind::kOther, ActionKind::kOther,
                                              ActionKind::kOther, ActionKind::kOther}),
            WorkPhase::kPlanning);
}

TEST(HearingTest, PhasesDoNotFlap) {
  EXPECT_EQ(PhaseAfter(WorkPhase::kImplementation,
                       {ActionKind::kRead, ActionKind::kRead, ActionKind::kEdit, ActionKind::kRead,
                        ActionKind::kRead, ActionKind::kRead, ActionKind::kRead}),
            WorkPhase::kImplementation);
  EXPECT_EQ(
      PhaseAfter(WorkPhase::kTesting, {ActionKind::kEdit, ActionKind::kEdit, ActionKind::kTest,
                                       ActionKind::kEdit, ActionKind::kEdit}),
      WorkPhase::kTesting);
}

TEST(HearingTest, PhasesGoBackWhenTheWorkDoes) {
  EXPECT_EQ(
      PhaseAfter(WorkPhase::kTesting, {ActionKind::kEdit, ActionKind::kRead, ActionKind::kEdit,
                                       ActionKind::kRead, ActionKind::kEdit}),
      WorkPhase::kImplementation);
  EXPECT_EQ(PhaseAfter(WorkPhase::kCompletion, std::vector(8, ActionKind::kRead)),
            WorkPhase::kInvestigation);
}

TEST(HearingTest, WhatWasSaidIsOverruledOnlyByMuch) {
  EXPECT_EQ(PhaseAfter(WorkPhase::kPlanning, std::vector(7, ActionKind::kEdit), true),
            WorkPhase::kPlanning);
  EXPECT_EQ(PhaseAfter(WorkPhase::kPlanning, std::vector(8, ActionKind::kEdit), true),
            WorkPhase::kImplementation);
}

TEST(HearingTest, SubAgentsSayNothingAboutThePhase) {
  Hearing hearing;
  AgentEvent event = Call(ActionKind::kEdit);
  event.nested = true;
  Hear(hearing, event);
  EXPECT_EQ(hearing.phase, WorkPhase::kInvestigation);
  EXPECT_EQ(hearing.actions.size(), 1U);
}

TEST(HearingTest, KeepsTheLastActionsAndHowTheyEnded) {
  Hearing hearing;
  for (int i = 0; i < 30; ++i) Hear(hearing, Call(ActionKind::kEdit, "f" + std::to_string(i)));
  ASSERT_EQ(hearing.actions.size(), Hook::kMostActions);
  EXPECT_EQ(hearing.calls, 30U);
  EXPECT_EQ(hearing.actions.back().what, "T f29");
  EXPECT_EQ(hearing.actions.back().passed, std::nullopt);
  Hear(hearing, {.kind = EventKind::kToolFinished, .tool = "T", .subject = "f29", .passed = true});
  EXPECT_EQ(hearing.actions.back().passed, true);
}

TEST(HearingTest, TellsOfTests) {
  Hearing hearing;
  AgentEvent test = Call(ActionKind::kTest, "npm test");
  Hear(hearing, test);
  EXPECT_EQ(hearing.tests_status, "unknown");
  test.kind = EventKind::kToolFailed;
  test.passed = false;
  test.detail = "exit code 7";
  Hear(hearing, test);
  EXPECT_EQ(hearing.tests_status, "failed");
  EXPECT_EQ(hearing.tests_detail, "npm test: exit code 7");
  test.kind = EventKind::kToolFinished;
  test.passed = true;
  test.detail = "";
  Hear(hearing, test);
  EXPECT_EQ(hearing.tests_status, "passed");
  EXPECT_EQ(hearing.tests_detail, "npm test: exit code 0");
  test.passed.reset();
  Hear(hearing, test);
  EXPECT_EQ(hearing.tests_status, "unknown");
}

TEST(HearingTest, KnowsWhatItWaitsForUntilItWorksAgain) {
  Hearing hearing;
  Hear(hearing, {.kind = EventKind::kTurnEnded});
  EXPECT_EQ(hearing.waits, "input");
  Hear(hearing, Call(ActionKind::kRead));
  EXPECT_EQ(hearing.waits, "");
  Hear(hearing, {.kind = EventKind::kNotified, .detail = "permission"});
  EXPECT_EQ(hearing.waits, "permission");
  Hear(hearing, {.kind = EventKind::kNotified, .detail = "auth_success"});
  EXPECT_EQ(hearing.waits, "permission");
  Hear(hearing, {.kind = EventKind::kPromptSubmitted});
  EXPECT_EQ(hearing.waits, "");
}

TEST(HearingTest, AFailureIsWhyItWouldEndUntilItWorksAgain) {
  Hearing hearing;
  Hear(hearing, {.kind = EventKind::kTurnFailed, .detail = "rate_limit"});
  EXPECT_EQ(hearing.told, ExitCause::kRateLimit);
  EXPECT_EQ(hearing.waits, "rate limit");
  Hear(hearing, {.kind = EventKind::kSessionEnded, .detail = "other"});
  EXPECT_EQ(hearing.told, ExitCause::kRateLimit);
  EXPECT_EQ(hearing.goodbye, "other");
  Hear(hearing, Call(ActionKind::kRead));
  EXPECT_EQ(hearing.told, std::nullopt);
  Hear(hearing, {.kind = EventKind::kTurnFailed, .detail = "server_error"});
  EXPECT_EQ(hearing.told, std::nullopt);
}

TEST(HearingTest, AGoodbyeCountsUntilTheNextStart) {
  Hearing hearing;
  Hear(hearing, {.kind = EventKind::kSessionEnded, .detail = "clear"});
  EXPECT_EQ(hearing.goodbye, "clear");
  Hear(hearing, {.kind = EventKind::kSessionStarted, .detail = "clear"});
  EXPECT_EQ(hearing.goodbye, "");
  Hear(hearing, {.kind = EventKind::kSessionEnded, .detail = "person_left"});
  Hear(hearing, {.kind = EventKind::kToolFinished, .tool = "T"});  // a slow hook
  EXPECT_EQ(hearing.goodbye, "person_left");
}

TEST(HearingTest, OthersOfItsKindThatItStartedOnlyShowThatItLives) {
  Hearing hearing;
  Hear(hearing, {.kind = EventKind::kSessionStarted, .session = "a", .transcript = "/a", .pid = 1});
  Hear(hearing, {.kind = EventKind::kSessionStarted, .session = "b", .transcript = "/b", .pid = 2});
  AgentEvent event = Call(ActionKind::kEdit);
  event.pid = 2;
  Hear(hearing, event);
  Hear(hearing, {.kind = EventKind::kSessionEnded, .session = "b", .pid = 2});
  EXPECT_EQ(hearing.events, 4U);
  EXPECT_EQ(hearing.session, "a");
  EXPECT_EQ(hearing.transcript, "/a");
  EXPECT_EQ(hearing.goodbye, "");
  EXPECT_EQ(hearing.phase, WorkPhase::kInvestigation);
  Hear(hearing, {.kind = EventKind::kSessionStarted, .session = "c", .transcript = "/c", .pid = 1});
  EXPECT_EQ(hearing.session, "c") << "its own, after /clear";
}

TEST(HearingTest, TheProcessOnRecordCountsWhoeverSpokeFirst) {
  Hearing hearing;
  hearing.owner = 1;
  Hear(hearing, {.kind = EventKind::kSessionStarted, .session = "b", .transcript = "/b", .pid = 2});
  Hear(hearing, {.kind = EventKind::kToolStarting, .session = "a", .transcript = "/a", .pid = 1});
  EXPECT_EQ(hearing.session, "a");
  EXPECT_EQ(hearing.transcript, "/a");
  Hear(hearing, {.kind = EventKind::kSessionEnded, .session = "b", .pid = 2});
  EXPECT_EQ(hearing.goodbye, "");
}

TEST(HearingTest, GoesOnWhereTheHookWas) {
  Hook hook{.identity = *IdentityName::Parse("orchestrator-a")};
  hook.work_phase = WorkPhase::kTesting;
  hook.tests_status = "failed";
  hook.last_actions = {{.what = "Edit a"}};
  hook.context_window = 7;
  const Hearing hearing = HearingOf(hook);
  EXPECT_EQ(hearing.phase, WorkPhase::kTesting);
  EXPECT_EQ(hearing.tests_status, "failed");
  EXPECT_EQ(hearing.actions.size(), 1U);
  EXPECT_EQ(hearing.window, 7U);
}

// A script that runs one program after the other, or two at once.
TEST(HearingTest, TheProgramThatAScriptStartsNextCounts) {
  Hearing hearing{.owner = 50};
  const std::vector<ProcessMark> first = {{90, 9}, {60, 6}, {50, 5}};
  const std::vector<ProcessMark> second = {{91, 9}, {70, 7}, {50, 5}};
  Hear(hearing, {.kind = EventKind::kSessionStarted, .session = "a", .pid = 60, .above = first});
  Hear(hearing, {.kind = EventKind::kSessionStarted, .session = "b", .pid = 70, .above = second});
  EXPECT_EQ(hearing.session, "b");
  Hear(hearing,
       {.kind = EventKind::kTurnFailed, .pid = 70, .above = second, .detail = "rate_limit"});
  EXPECT_EQ(hearing.told, ExitCause::kRateLimit);
  Hear(hearing, {.kind = EventKind::kTurnEnded, .session = "a", .pid = 60, .above = first});
  EXPECT_EQ(hearing.session, "b") << "the one before has no say any more";
  // Started by the counting program, through a tool.
  const std::vector<ProcessMark> nested = {{95, 9}, {80, 8}, {70, 7}, {50, 5}};
  Hear(hearing, {.kind = EventKind::kSessionStarted, .session = "c", .pid = 80, .above = nested});
  EXPECT_EQ(hearing.session, "b");
}

// A script that continues after one of its programs was killed in the middle of a turn.
class LeftTurnTest : public testing::Test {
 protected:
  void Tell(EventKind kind, std::int64_t pid, const std::string& session,
            const std::string& detail = "") {
    Hear(hearing_, {.kind = kind,
                    .session = session,
                    .transcript = "/" + session,
                    .pid = pid,
                    .above = {{90, 9}, {pid, 6}, {50, 5}},
                    .detail = detail});
  }
  void BeginWith(std::optional<EventKind> last) {
    Tell(EventKind::kSessionStarted, 60, "a", "startup");
    Tell(EventKind::kPromptSubmitted, 60, "a");
    Tell(EventKind::kToolStarting, 60, "a");
    if (last) Tell(*last, 60, "a");
  }
  Hearing hearing_{.owner = 50};
};

TEST_F(LeftTurnTest, WhatAKilledProgramWasAtIsLeftWhenAnotherOneStarts) {
  BeginWith({});
  Tell(EventKind::kSessionStarted, 70, "b", "startup");
  Tell(EventKind::kTurnEnded, 70, "b");
  ASSERT_EQ(hearing_.left.size(), 1U);
  EXPECT_EQ(hearing_.left[0].session, "a");
  EXPECT_EQ(hearing_.left[0].transcript, "/a");
  EXPECT_TRUE(IsUnfinished(hearing_.left[0].work, {}, false));
  Hearing later;
  TakeUp(later, hearing_);
  EXPECT_EQ(later.left.size(), 1U);
  Tell(EventKind::kSessionStarted, 80, "a", "resumed");
  EXPECT_TRUE(hearing_.left.empty()) << "the script takes care of it";
}

TEST_F(LeftTurnTest, NothingIsLeftByAProgramThatEndedItsTurnOrSaidGoodbye) {
  for (const EventKind last :
       {EventKind::kTurnEnded, EventKind::kTurnFailed, EventKind::kSessionEnded}) {
    hearing_ = {.owner = 50};
    BeginWith(last);
    Tell(EventKind::kSessionStarted, 70, "b", "startup");
    EXPECT_TRUE(hearing_.left.empty()) << EventKindName(last);
  }
  hearing_ = {.owner = 50};
  BeginWith({});
  Tell(EventKind::kSessionStarted, 60, "b", "clear");  // the same process
  EXPECT_TRUE(hearing_.left.empty());
  hearing_ = {.owner = 50};
  BeginWith({});
  Tell(EventKind::kSessionStarted, 70, "a", "resumed");
  EXPECT_TRUE(hearing_.left.empty());
}

TEST(HearingTest, WhatTheHookDoesNotKeepIsTakenUpAgain) {
  Hearing told;
  Hear(told, {.kind = EventKind::kSessionStarted, .session = "a", .pid = 60});
  Hear(told, {.kind = EventKind::kTurnEnded, .pid = 60});
  Hearing hearing;
  TakeUp(hearing, told);
  EXPECT_EQ(hearing.waits, "input");
  EXPECT_EQ(hearing.pid, 60);
  EXPECT_EQ(hearing.session, "") << "that it changes is yet to be noticed";
}

}  // namespace
}  // namespace belay
