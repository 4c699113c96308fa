#include "engine/events/hearing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace belay {
namespace {

AgentEvent Call(ActionKind kind, std::string subject = "x") {
  return {.name = "PreToolUse", .tool = "T", .action = kind, .subject = std::move(subject)};
}

WorkPhase PhaseAfter(WorkPhase start, const std::vector<ActionKind>& calls, bool told = false) {
  Hearing hearing;
  hearing.phase = start;
  hearing.memory.told = told;
  for (const ActionKind kind : calls) Hear(hearing, Call(kind));
  return hearing.phase;
}

using enum ActionKind;

TEST(HearingTest, PhasesGoOnAtOnce) {
  EXPECT_EQ(PhaseAfter(WorkPhase::kInvestigation, {kRead, kEdit}), WorkPhase::kImplementation);
  EXPECT_EQ(PhaseAfter(WorkPhase::kInvestigation, {kPlan}), WorkPhase::kPlanning);
  EXPECT_EQ(PhaseAfter(WorkPhase::kImplementation, {kTest}), WorkPhase::kTesting);
  EXPECT_EQ(PhaseAfter(WorkPhase::kImplementation, {kCommit}), WorkPhase::kCompletion);
  EXPECT_EQ(PhaseAfter(WorkPhase::kPlanning, {kOther, kOther, kOther, kOther}),
            WorkPhase::kPlanning);
}

TEST(HearingTest, PhasesDoNotFlap) {
  EXPECT_EQ(
      PhaseAfter(WorkPhase::kImplementation, {kRead, kRead, kEdit, kRead, kRead, kRead, kRead}),
      WorkPhase::kImplementation);
  EXPECT_EQ(PhaseAfter(WorkPhase::kTesting, {kEdit, kEdit, kTest, kEdit, kEdit}),
            WorkPhase::kTesting);
}

TEST(HearingTest, PhasesGoBackWhenTheWorkDoes) {
  EXPECT_EQ(PhaseAfter(WorkPhase::kTesting, {kEdit, kRead, kEdit, kRead, kEdit}),
            WorkPhase::kImplementation);
  EXPECT_EQ(PhaseAfter(WorkPhase::kCompletion, std::vector(8, kRead)), WorkPhase::kInvestigation);
}

TEST(HearingTest, WhatWasSaidIsOverruledOnlyByMuch) {
  EXPECT_EQ(PhaseAfter(WorkPhase::kPlanning, std::vector(7, kEdit), true), WorkPhase::kPlanning);
  EXPECT_EQ(PhaseAfter(WorkPhase::kPlanning, std::vector(8, kEdit), true),
            WorkPhase::kImplementation);
}

TEST(HearingTest, SubAgentsSayNothingAboutThePhase) {
  Hearing hearing;
  AgentEvent event = Call(kEdit);
  event.nested = true;
  Hear(hearing, event);
  EXPECT_EQ(hearing.phase, WorkPhase::kInvestigation);
  EXPECT_EQ(hearing.actions.size(), 1U);
}

TEST(HearingTest, KeepsTheLastActionsAndHowTheyEnded) {
  Hearing hearing;
  for (int i = 0; i < 30; ++i) Hear(hearing, Call(kEdit, "f" + std::to_string(i)));
  ASSERT_EQ(hearing.actions.size(), Hook::kMostActions);
  EXPECT_EQ(hearing.calls, 30U);
  EXPECT_EQ(hearing.actions.back().what, "T f29");
  EXPECT_EQ(hearing.actions.back().passed, std::nullopt);
  Hear(hearing, {.name = "PostToolUse", .tool = "T", .subject = "f29", .passed = true});
  EXPECT_EQ(hearing.actions.back().passed, true);
}

TEST(HearingTest, TellsOfTests) {
  Hearing hearing;
  AgentEvent test = Call(kTest, "npm test");
  Hear(hearing, test);
  EXPECT_EQ(hearing.tests_status, "unknown");
  test.name = "PostToolUseFailure";
  test.passed = false;
  test.detail = "exit code 7";
  Hear(hearing, test);
  EXPECT_EQ(hearing.tests_status, "failed");
  EXPECT_EQ(hearing.tests_detail, "npm test: exit code 7");
  test.name = "PostToolUse";
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
  Hear(hearing, {.name = "Stop"});
  EXPECT_EQ(hearing.waits, "input");
  Hear(hearing, Call(kRead));
  EXPECT_EQ(hearing.waits, "");
  Hear(hearing, {.name = "Notification", .detail = "permission_prompt"});
  EXPECT_EQ(hearing.waits, "permission");
  Hear(hearing, {.name = "Notification", .detail = "auth_success"});
  EXPECT_EQ(hearing.waits, "permission");
  Hear(hearing, {.name = "UserPromptSubmit"});
  EXPECT_EQ(hearing.waits, "");
}

TEST(HearingTest, AFailureIsWhyItWouldEndUntilItWorksAgain) {
  Hearing hearing;
  Hear(hearing, {.name = "StopFailure", .detail = "rate_limit"});
  EXPECT_EQ(hearing.told, ExitCause::kRateLimit);
  EXPECT_EQ(hearing.waits, "rate limit");
  Hear(hearing, {.name = "SessionEnd", .detail = "other"});
  EXPECT_EQ(hearing.told, ExitCause::kRateLimit);
  EXPECT_EQ(hearing.goodbye, "other");
  Hear(hearing, Call(kRead));
  EXPECT_EQ(hearing.told, std::nullopt);
  Hear(hearing, {.name = "StopFailure", .detail = "server_error"});
  EXPECT_EQ(hearing.told, std::nullopt);
}

TEST(HearingTest, AGoodbyeCountsUntilTheNextStart) {
  Hearing hearing;
  Hear(hearing, {.name = "SessionEnd", .detail = "clear"});
  EXPECT_EQ(hearing.goodbye, "clear");
  Hear(hearing, {.name = "SessionStart", .detail = "clear"});
  EXPECT_EQ(hearing.goodbye, "");
  Hear(hearing, {.name = "SessionEnd", .detail = "prompt_input_exit"});
  Hear(hearing, {.name = "PostToolUse", .tool = "T"});  // a hook that was slow
  EXPECT_EQ(hearing.goodbye, "prompt_input_exit");
}

TEST(HearingTest, OthersOfItsKindThatItStartedOnlyShowThatItLives) {
  Hearing hearing;
  Hear(hearing, {.name = "SessionStart", .session = "a", .transcript = "/a", .pid = 1});
  Hear(hearing, {.name = "SessionStart", .session = "b", .transcript = "/b", .pid = 2});
  AgentEvent event = Call(kEdit);
  event.pid = 2;
  Hear(hearing, event);
  Hear(hearing, {.name = "SessionEnd", .session = "b", .pid = 2});
  EXPECT_EQ(hearing.events, 4U);
  EXPECT_EQ(hearing.session, "a");
  EXPECT_EQ(hearing.transcript, "/a");
  EXPECT_EQ(hearing.goodbye, "");
  EXPECT_EQ(hearing.phase, WorkPhase::kInvestigation);
  Hear(hearing, {.name = "SessionStart", .session = "c", .transcript = "/c", .pid = 1});
  EXPECT_EQ(hearing.session, "c") << "its own, after /clear";
}

TEST(HearingTest, TheProcessOnRecordCountsWhoeverSpokeFirst) {
  Hearing hearing;
  hearing.owner = 1;
  Hear(hearing, {.name = "SessionStart", .session = "b", .transcript = "/b", .pid = 2});
  Hear(hearing, {.name = "PreToolUse", .session = "a", .transcript = "/a", .pid = 1});
  EXPECT_EQ(hearing.session, "a");
  EXPECT_EQ(hearing.transcript, "/a");
  Hear(hearing, {.name = "SessionEnd", .session = "b", .pid = 2});
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

// A script that runs one program after the other, or beside the other.
TEST(HearingTest, TheProgramThatAScriptStartsNextCounts) {
  Hearing hearing{.owner = 50};
  const std::vector<ProcessMark> first = {{90, 9}, {60, 6}, {50, 5}};
  const std::vector<ProcessMark> second = {{91, 9}, {70, 7}, {50, 5}};
  Hear(hearing, {.name = "SessionStart", .session = "a", .pid = 60, .above = first});
  Hear(hearing, {.name = "SessionStart", .session = "b", .pid = 70, .above = second});
  EXPECT_EQ(hearing.session, "b");
  Hear(hearing, {.name = "StopFailure", .pid = 70, .above = second, .detail = "rate_limit"});
  EXPECT_EQ(hearing.told, ExitCause::kRateLimit);
  Hear(hearing, {.name = "Stop", .session = "a", .pid = 60, .above = first});
  EXPECT_EQ(hearing.session, "b") << "the one before has no say any more";
  // Started by the one that counts, through a tool.
  const std::vector<ProcessMark> nested = {{95, 9}, {80, 8}, {70, 7}, {50, 5}};
  Hear(hearing, {.name = "SessionStart", .session = "c", .pid = 80, .above = nested});
  EXPECT_EQ(hearing.session, "b");
}

// A script that goes on after a program of its was killed in the middle of a turn.
class LeftTurnTest : public testing::Test {
 protected:
  void Tell(const std::string& name, std::int64_t pid, const std::string& session,
            const std::string& detail = "") {
    Hear(hearing_, {.name = name,
                    .session = session,
                    .transcript = "/" + session,
                    .pid = pid,
                    .above = {{90, 9}, {pid, 6}, {50, 5}},
                    .detail = detail});
  }
  void BeginWith(const std::string& last) {
    Tell("SessionStart", 60, "a", "startup");
    Tell("UserPromptSubmit", 60, "a");
    Tell("PreToolUse", 60, "a");
    if (!last.empty()) Tell(last, 60, "a");
  }
  Hearing hearing_{.owner = 50};
};

TEST_F(LeftTurnTest, WhatAKilledProgramWasAtIsLeftWhenAnotherOneStarts) {
  BeginWith("");
  Tell("SessionStart", 70, "b", "startup");
  Tell("Stop", 70, "b");
  ASSERT_EQ(hearing_.left.size(), 1U);
  EXPECT_EQ(hearing_.left[0].session, "a");
  EXPECT_EQ(hearing_.left[0].transcript, "/a");
  EXPECT_TRUE(IsUnfinished(hearing_.left[0].work, {}, false));
  Hearing later;
  TakeUp(later, hearing_);
  EXPECT_EQ(later.left.size(), 1U);
  Tell("SessionStart", 80, "a", "resume");
  EXPECT_TRUE(hearing_.left.empty()) << "the script takes care of it";
}

TEST_F(LeftTurnTest, NothingIsLeftByAProgramThatEndedItsTurnOrSaidGoodbye) {
  for (const char* last : {"Stop", "StopFailure", "SessionEnd"}) {
    hearing_ = {.owner = 50};
    BeginWith(last);
    Tell("SessionStart", 70, "b", "startup");
    EXPECT_TRUE(hearing_.left.empty()) << last;
  }
  hearing_ = {.owner = 50};
  BeginWith("");
  Tell("SessionStart", 60, "b", "clear");  // the same process
  EXPECT_TRUE(hearing_.left.empty());
  hearing_ = {.owner = 50};
  BeginWith("");
  Tell("SessionStart", 70, "a", "resume");
  EXPECT_TRUE(hearing_.left.empty());
}

TEST(HearingTest, WhatTheHookDoesNotKeepIsTakenUpAgain) {
  Hearing told;
  Hear(told, {.name = "SessionStart", .session = "a", .pid = 60});
  Hear(told, {.name = "Stop", .pid = 60});
  Hearing hearing;
  TakeUp(hearing, told);
  EXPECT_EQ(hearing.waits, "input");
  EXPECT_EQ(hearing.pid, 60);
  EXPECT_EQ(hearing.session, "") << "that it changes is yet to be noticed";
}

}  // namespace
}  // namespace belay
