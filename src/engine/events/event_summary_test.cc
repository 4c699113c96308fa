#include "engine/events/event_summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace belay {
namespace {

AgentEvent Call(ActionKind kind, std::string subject = "x") {
  return {
      .kind = EventKind::kToolStarting, .tool = "T", .action = kind, .subject = std::move(subject)};
}

WorkPhase PhaseAfter(WorkPhase start, const std::vector<ActionKind>& calls, bool set = false) {
  EventSummary summary;
  summary.phase = start;
  summary.memory.is_set = set;
  for (const ActionKind kind : calls) AddEvent(summary, Call(kind));
  return summary.phase;
}

TEST(EventSummaryTest, PhasesMoveForwardAtOnce) {
  EXPECT_EQ(PhaseAfter(WorkPhase::kInvestigation, {ActionKind::kRead, ActionKind::kEdit}),
            WorkPhase::kImplementation);
  EXPECT_EQ(PhaseAfter(WorkPhase::kInvestigation, {ActionKind::kPlan}), WorkPhase::kPlanning);
  EXPECT_EQ(PhaseAfter(WorkPhase::kImplementation, {ActionKind::kTest}), WorkPhase::kTesting);
  EXPECT_EQ(PhaseAfter(WorkPhase::kImplementation, {ActionKind::kCommit}), WorkPhase::kCompletion);
  EXPECT_EQ(PhaseAfter(WorkPhase::kPlanning, {ActionKind::kOther, ActionKind::kOther,
                                              ActionKind::kOther, ActionKind::kOther}),
            WorkPhase::kPlanning);
}

TEST(EventSummaryTest, PhasesDoNotFlap) {
  EXPECT_EQ(PhaseAfter(WorkPhase::kImplementation,
                       {ActionKind::kRead, ActionKind::kRead, ActionKind::kEdit, ActionKind::kRead,
                        ActionKind::kRead, ActionKind::kRead, ActionKind::kRead}),
            WorkPhase::kImplementation);
  EXPECT_EQ(
      PhaseAfter(WorkPhase::kTesting, {ActionKind::kEdit, ActionKind::kEdit, ActionKind::kTest,
                                       ActionKind::kEdit, ActionKind::kEdit}),
      WorkPhase::kTesting);
}

TEST(EventSummaryTest, PhasesGoBackWhenTheWorkDoes) {
  EXPECT_EQ(
      PhaseAfter(WorkPhase::kTesting, {ActionKind::kEdit, ActionKind::kRead, ActionKind::kEdit,
                                       ActionKind::kRead, ActionKind::kEdit}),
      WorkPhase::kImplementation);
  EXPECT_EQ(PhaseAfter(WorkPhase::kCompletion, std::vector(8, ActionKind::kRead)),
            WorkPhase::kInvestigation);
}

TEST(EventSummaryTest, WhatWasSaidIsOverruledOnlyByMuch) {
  EXPECT_EQ(PhaseAfter(WorkPhase::kPlanning, std::vector(7, ActionKind::kEdit), true),
            WorkPhase::kPlanning);
  EXPECT_EQ(PhaseAfter(WorkPhase::kPlanning, std::vector(8, ActionKind::kEdit), true),
            WorkPhase::kImplementation);
}

TEST(EventSummaryTest, SubAgentsSayNothingAboutThePhase) {
  EventSummary summary;
  AgentEvent event = Call(ActionKind::kEdit);
  event.nested = true;
  AddEvent(summary, event);
  EXPECT_EQ(summary.phase, WorkPhase::kInvestigation);
  EXPECT_EQ(summary.actions.size(), 1U);
}

TEST(EventSummaryTest, KeepsTheLastActionsAndHowTheyEnded) {
  EventSummary summary;
  for (int i = 0; i < 30; ++i) AddEvent(summary, Call(ActionKind::kEdit, "f" + std::to_string(i)));
  ASSERT_EQ(summary.actions.size(), Hook::kMostActions);
  EXPECT_EQ(summary.calls, 30U);
  EXPECT_EQ(summary.actions.back().what, "T f29");
  EXPECT_EQ(summary.actions.back().passed, std::nullopt);
  AddEvent(summary,
           {.kind = EventKind::kToolFinished, .tool = "T", .subject = "f29", .passed = true});
  EXPECT_EQ(summary.actions.back().passed, true);
}

TEST(EventSummaryTest, ReportsTheResultOfTests) {
  EventSummary summary;
  AgentEvent test = Call(ActionKind::kTest, "npm test");
  AddEvent(summary, test);
  EXPECT_EQ(summary.tests_status, "unknown");
  test.kind = EventKind::kToolFailed;
  test.passed = false;
  test.detail = "exit code 7";
  AddEvent(summary, test);
  EXPECT_EQ(summary.tests_status, "failed");
  EXPECT_EQ(summary.tests_detail, "npm test: exit code 7");
  test.kind = EventKind::kToolFinished;
  test.passed = true;
  test.detail = "";
  AddEvent(summary, test);
  EXPECT_EQ(summary.tests_status, "passed");
  EXPECT_EQ(summary.tests_detail, "npm test: exit code 0");
  test.passed.reset();
  AddEvent(summary, test);
  EXPECT_EQ(summary.tests_status, "unknown");
}

TEST(EventSummaryTest, KnowsWhatItWaitsForUntilItWorksAgain) {
  EventSummary summary;
  AddEvent(summary, {.kind = EventKind::kTurnEnded});
  EXPECT_EQ(summary.waits, "input");
  AddEvent(summary, Call(ActionKind::kRead));
  EXPECT_EQ(summary.waits, "");
  AddEvent(summary, {.kind = EventKind::kNotified, .detail = "permission"});
  EXPECT_EQ(summary.waits, "permission");
  AddEvent(summary, {.kind = EventKind::kNotified, .detail = "auth_success"});
  EXPECT_EQ(summary.waits, "permission");
  AddEvent(summary, {.kind = EventKind::kPromptSubmitted});
  EXPECT_EQ(summary.waits, "");
}

TEST(EventSummaryTest, AFailureIsWhyItWouldEndUntilItWorksAgain) {
  EventSummary summary;
  AddEvent(summary, {.kind = EventKind::kTurnFailed, .detail = "rate_limit"});
  EXPECT_EQ(summary.reported, ExitCause::kRateLimit);
  EXPECT_EQ(summary.waits, "rate limit");
  AddEvent(summary, {.kind = EventKind::kSessionEnded, .detail = "other"});
  EXPECT_EQ(summary.reported, ExitCause::kRateLimit);
  EXPECT_EQ(summary.session_end, "other");
  AddEvent(summary, Call(ActionKind::kRead));
  EXPECT_EQ(summary.reported, std::nullopt);
  AddEvent(summary, {.kind = EventKind::kTurnFailed, .detail = "server_error"});
  EXPECT_EQ(summary.reported, std::nullopt);
}

TEST(EventSummaryTest, AGoodbyeCountsUntilTheNextStart) {
  EventSummary summary;
  AddEvent(summary, {.kind = EventKind::kSessionEnded, .detail = "clear"});
  EXPECT_EQ(summary.session_end, "clear");
  AddEvent(summary, {.kind = EventKind::kSessionStarted, .detail = "clear"});
  EXPECT_EQ(summary.session_end, "");
  AddEvent(summary, {.kind = EventKind::kSessionEnded, .detail = "person_left"});
  AddEvent(summary, {.kind = EventKind::kToolFinished, .tool = "T"});  // a slow hook
  EXPECT_EQ(summary.session_end, "person_left");
}

TEST(EventSummaryTest, OthersOfItsKindThatItStartedOnlyShowThatItLives) {
  EventSummary summary;
  AddEvent(summary,
           {.kind = EventKind::kSessionStarted, .session = "a", .transcript = "/a", .pid = 1});
  AddEvent(summary,
           {.kind = EventKind::kSessionStarted, .session = "b", .transcript = "/b", .pid = 2});
  AgentEvent event = Call(ActionKind::kEdit);
  event.pid = 2;
  AddEvent(summary, event);
  AddEvent(summary, {.kind = EventKind::kSessionEnded, .session = "b", .pid = 2});
  EXPECT_EQ(summary.events, 4U);
  EXPECT_EQ(summary.session, "a");
  EXPECT_EQ(summary.transcript, "/a");
  EXPECT_EQ(summary.session_end, "");
  EXPECT_EQ(summary.phase, WorkPhase::kInvestigation);
  AddEvent(summary,
           {.kind = EventKind::kSessionStarted, .session = "c", .transcript = "/c", .pid = 1});
  EXPECT_EQ(summary.session, "c") << "its own, after /clear";
}

TEST(EventSummaryTest, TheRecordedProcessCountsWhicheverReportedFirst) {
  EventSummary summary;
  summary.owner = 1;
  AddEvent(summary,
           {.kind = EventKind::kSessionStarted, .session = "b", .transcript = "/b", .pid = 2});
  AddEvent(summary,
           {.kind = EventKind::kToolStarting, .session = "a", .transcript = "/a", .pid = 1});
  EXPECT_EQ(summary.session, "a");
  EXPECT_EQ(summary.transcript, "/a");
  AddEvent(summary, {.kind = EventKind::kSessionEnded, .session = "b", .pid = 2});
  EXPECT_EQ(summary.session_end, "");
}

TEST(EventSummaryTest, ContinuesWhereTheHookWas) {
  Hook hook{.identity = *IdentityName::Parse("orchestrator-a")};
  hook.work_phase = WorkPhase::kTesting;
  hook.tests_status = "failed";
  hook.last_actions = {{.what = "Edit a"}};
  hook.context_window = 7;
  const EventSummary summary = EventSummaryOf(hook);
  EXPECT_EQ(summary.phase, WorkPhase::kTesting);
  EXPECT_EQ(summary.tests_status, "failed");
  EXPECT_EQ(summary.actions.size(), 1U);
  EXPECT_EQ(summary.window, 7U);
}

// A script that runs one program after the other, or two at once.
TEST(EventSummaryTest, TheProgramThatAScriptStartsNextCounts) {
  EventSummary summary{.owner = 50};
  const std::vector<ProcessMark> first = {{90, 9}, {60, 6}, {50, 5}};
  const std::vector<ProcessMark> second = {{91, 9}, {70, 7}, {50, 5}};
  AddEvent(summary,
           {.kind = EventKind::kSessionStarted, .session = "a", .pid = 60, .above = first});
  AddEvent(summary,
           {.kind = EventKind::kSessionStarted, .session = "b", .pid = 70, .above = second});
  EXPECT_EQ(summary.session, "b");
  AddEvent(summary,
           {.kind = EventKind::kTurnFailed, .pid = 70, .above = second, .detail = "rate_limit"});
  EXPECT_EQ(summary.reported, ExitCause::kRateLimit);
  AddEvent(summary, {.kind = EventKind::kTurnEnded, .session = "a", .pid = 60, .above = first});
  EXPECT_EQ(summary.session, "b") << "the one before has no say any more";
  // Started by the counting program, through a tool.
  const std::vector<ProcessMark> nested = {{95, 9}, {80, 8}, {70, 7}, {50, 5}};
  AddEvent(summary,
           {.kind = EventKind::kSessionStarted, .session = "c", .pid = 80, .above = nested});
  EXPECT_EQ(summary.session, "b");
}

// A script that continues after one of its programs was killed in the middle of a turn.
class LeftTurnTest : public testing::Test {
 protected:
  void Tell(EventKind kind, std::int64_t pid, const std::string& session,
            const std::string& detail = "") {
    AddEvent(summary_, {.kind = kind,
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
  EventSummary summary_{.owner = 50};
};

TEST_F(LeftTurnTest, WhatAKilledProgramWasAtIsLeftWhenAnotherOneStarts) {
  BeginWith({});
  Tell(EventKind::kSessionStarted, 70, "b", "startup");
  Tell(EventKind::kTurnEnded, 70, "b");
  ASSERT_EQ(summary_.left.size(), 1U);
  EXPECT_EQ(summary_.left[0].session, "a");
  EXPECT_EQ(summary_.left[0].transcript, "/a");
  EXPECT_TRUE(IsUnfinished(summary_.left[0].work, {}, false));
  EventSummary later;
  CopyUnrecorded(later, summary_);
  EXPECT_EQ(later.left.size(), 1U);
  Tell(EventKind::kSessionStarted, 80, "a", "resumed");
  EXPECT_TRUE(summary_.left.empty()) << "the script takes care of it";
}

TEST_F(LeftTurnTest, NothingIsLeftByAProgramThatEndedItsTurnOrSaidGoodbye) {
  for (const EventKind last :
       {EventKind::kTurnEnded, EventKind::kTurnFailed, EventKind::kSessionEnded}) {
    summary_ = {.owner = 50};
    BeginWith(last);
    Tell(EventKind::kSessionStarted, 70, "b", "startup");
    EXPECT_TRUE(summary_.left.empty()) << EventKindName(last);
  }
  summary_ = {.owner = 50};
  BeginWith({});
  Tell(EventKind::kSessionStarted, 60, "b", "clear");  // the same process
  EXPECT_TRUE(summary_.left.empty());
  summary_ = {.owner = 50};
  BeginWith({});
  Tell(EventKind::kSessionStarted, 70, "a", "resumed");
  EXPECT_TRUE(summary_.left.empty());
}

TEST(EventSummaryTest, WhatTheHookDoesNotKeepIsTakenUpAgain) {
  EventSummary all;
  AddEvent(all, {.kind = EventKind::kSessionStarted, .session = "a", .pid = 60});
  AddEvent(all, {.kind = EventKind::kTurnEnded, .pid = 60});
  EventSummary summary;
  CopyUnrecorded(summary, all);
  EXPECT_EQ(summary.waits, "input");
  EXPECT_EQ(summary.pid, 60);
  EXPECT_EQ(summary.session, "") << "that it changes is yet to be noticed";
}

}  // namespace
}  // namespace belay
