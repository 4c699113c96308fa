#include <gtest/gtest.h>

#include <vector>

#include "engine/merge/settings.h"

namespace belay {
namespace {

GateVerdict Judge(std::uint32_t retries, const std::vector<GateOutcome>& runs) {
  return JudgeGate({.name = "test", .run = "make test", .retries = retries}, runs);
}

TEST(GateVerdictTest, OnlyZeroIsAPass) {
  EXPECT_EQ(OutcomeOf(0, false), GateOutcome::kPassed);
  EXPECT_EQ(OutcomeOf(1, false), GateOutcome::kFailed);
  EXPECT_EQ(OutcomeOf(137, false), GateOutcome::kFailed);
  EXPECT_EQ(OutcomeOf(126, false), GateOutcome::kUnrunnable);
  EXPECT_EQ(OutcomeOf(127, false), GateOutcome::kUnrunnable);
  EXPECT_EQ(OutcomeOf(0, true), GateOutcome::kTimedOut);
}

TEST(GateVerdictTest, RedIsAskedAgainAsOftenAsItMayBe) {
  EXPECT_EQ(Judge(0, {}), GateVerdict::kAgain);
  EXPECT_EQ(Judge(0, {GateOutcome::kFailed}), GateVerdict::kRed);
  EXPECT_EQ(Judge(2, {GateOutcome::kFailed}), GateVerdict::kAgain);
  EXPECT_EQ(Judge(2, {GateOutcome::kFailed, GateOutcome::kTimedOut}), GateVerdict::kAgain);
  EXPECT_EQ(Judge(2, {GateOutcome::kFailed, GateOutcome::kTimedOut, GateOutcome::kFailed}),
            GateVerdict::kRed);
  EXPECT_EQ(Judge(2, {GateOutcome::kFailed, GateOutcome::kPassed}), GateVerdict::kGreen);
}

TEST(GateVerdictTest, WhatCannotBeRunIsNeverAPassAndNotTriedAgain) {
  EXPECT_EQ(Judge(9, {GateOutcome::kUnrunnable}), GateVerdict::kUnrunnable);
  EXPECT_EQ(Judge(9, {GateOutcome::kFailed, GateOutcome::kUnrunnable}), GateVerdict::kUnrunnable);
  EXPECT_EQ(Judge(9, {GateOutcome::kCancelled}), GateVerdict::kCancelled);
}

TEST(GateVerdictTest, ARuleThatAsksOtherwiseIsAnotherRule) {
  const GateRule rule{.name = "test", .run = "make test"};
  EXPECT_EQ(RuleDigest(rule), RuleDigest(GateRule(rule)));
  for (const GateRule& other : std::vector<GateRule>{
           {.name = "test2", .run = "make test"},
           {.name = "test", .run = "make check"},
           {.name = "test", .run = "make test", .timeout = std::chrono::minutes(1)},
           {.name = "test", .run = "make test", .retries = 1}}) {
    EXPECT_NE(RuleDigest(rule), RuleDigest(other));
  }
}

TEST(GateVerdictTest, TheFirstGateThatIsNotGreenCounts) {
  const GateResult passed{.name = "a"};
  EXPECT_EQ(StatusAfterGates({}), MergeStatus::kMerging);
  EXPECT_EQ(StatusAfterGates(std::vector{passed, passed}), MergeStatus::kMerging);
  for (const auto& [outcome, status] : {std::pair{GateOutcome::kFailed, MergeStatus::kGateFailed},
                                        {GateOutcome::kTimedOut, MergeStatus::kGateFailed},
                                        {GateOutcome::kUnrunnable, MergeStatus::kGateUnrunnable},
                                        {GateOutcome::kCancelled, MergeStatus::kCancelled}}) {
    EXPECT_EQ(StatusAfterGates(std::vector{passed, GateResult{.name = "b", .outcome = outcome}}),
              status);
  }
}

}  // namespace
}  // namespace belay
