#include "engine/merge/gate_verdict.h"

#include <gtest/gtest.h>

#include <vector>

namespace belay {
namespace {

using enum GateOutcome;

GateVerdict Judge(std::uint32_t retries, const std::vector<GateOutcome>& runs) {
  return JudgeGate({.name = "test", .run = "make test", .retries = retries}, runs);
}

TEST(GateVerdictTest, OnlyZeroIsAPass) {
  EXPECT_EQ(OutcomeOf(0, false), kPassed);
  EXPECT_EQ(OutcomeOf(1, false), kFailed);
  EXPECT_EQ(OutcomeOf(137, false), kFailed);
  EXPECT_EQ(OutcomeOf(126, false), kUnrunnable);
  EXPECT_EQ(OutcomeOf(127, false), kUnrunnable);
  EXPECT_EQ(OutcomeOf(0, true), kTimedOut);
}

TEST(GateVerdictTest, RedIsAskedAgainAsOftenAsItMayBe) {
  EXPECT_EQ(Judge(0, {}), GateVerdict::kAgain);
  EXPECT_EQ(Judge(0, {kFailed}), GateVerdict::kRed);
  EXPECT_EQ(Judge(2, {kFailed}), GateVerdict::kAgain);
  EXPECT_EQ(Judge(2, {kFailed, kTimedOut}), GateVerdict::kAgain);
  EXPECT_EQ(Judge(2, {kFailed, kTimedOut, kFailed}), GateVerdict::kRed);
  EXPECT_EQ(Judge(2, {kFailed, kPassed}), GateVerdict::kGreen);
}

TEST(GateVerdictTest, WhatCannotBeRunIsNeverAPassAndNotTriedAgain) {
  EXPECT_EQ(Judge(9, {kUnrunnable}), GateVerdict::kUnrunnable);
  EXPECT_EQ(Judge(9, {kFailed, kUnrunnable}), GateVerdict::kUnrunnable);
  EXPECT_EQ(Judge(9, {kCancelled}), GateVerdict::kCancelled);
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
  for (const auto& [outcome, status] : {std::pair{kFailed, MergeStatus::kGateFailed},
                                        {kTimedOut, MergeStatus::kGateFailed},
                                        {kUnrunnable, MergeStatus::kGateUnrunnable},
                                        {kCancelled, MergeStatus::kCancelled}}) {
    EXPECT_EQ(StatusAfterGates(std::vector{passed, GateResult{.name = "b", .outcome = outcome}}),
              status);
  }
}

}  // namespace
}  // namespace belay
