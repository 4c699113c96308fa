#include "engine/supervise/phase_inference.h"

#include <gtest/gtest.h>

namespace belay {
namespace {

using enum WorkPhase;

// The phases that an agent goes through, look by look, from `present` on.
std::vector<WorkPhase> Phases(PhaseMemory memory, WorkPhase present,
                              const std::vector<std::optional<WorkPhase>>& guesses) {
  std::vector<WorkPhase> phases;
  for (const std::optional<WorkPhase> guess : guesses) {
    present = ConsiderPhase(memory, present, guess).value_or(present);
    phases.push_back(present);
  }
  return phases;
}

using Expected = std::vector<WorkPhase>;

TEST(PhaseInferenceTest, WhatIsSeenMeansAPhase) {
  EXPECT_EQ(GuessPhase({}), std::nullopt);
  EXPECT_EQ(GuessPhase({.files_changed = true}), kImplementation);
  EXPECT_EQ(GuessPhase({.committed = true}), kCompletion);
  EXPECT_EQ(GuessPhase({.files_changed = true, .committed = true}), kCompletion);
  EXPECT_EQ(GuessPhase({.test_command_runs = true}), kTesting);
  EXPECT_EQ(GuessPhase({.test_command_runs = true, .files_changed = true, .committed = true}),
            kTesting);
}

TEST(PhaseInferenceTest, OneLookGoesOnAndTwoGoBack) {
  EXPECT_EQ(Phases({}, kInvestigation, {kImplementation, kTesting, kImplementation}),
            (Expected{kImplementation, kTesting, kTesting}));
  EXPECT_EQ(Phases({}, kTesting, {kImplementation, kImplementation}),
            (Expected{kTesting, kImplementation}));
}

TEST(PhaseInferenceTest, EditsBetweenTestsDoNotFlap) {
  EXPECT_EQ(Phases({}, kTesting, {kImplementation, kTesting, kImplementation, kTesting}),
            (Expected{kTesting, kTesting, kTesting, kTesting}));
}

TEST(PhaseInferenceTest, ALookWithoutOpinionNeitherCountsNorBreaksTheRow) {
  EXPECT_EQ(Phases({}, kTesting, {kImplementation, std::nullopt, std::nullopt, kImplementation}),
            (Expected{kTesting, kTesting, kTesting, kImplementation}));
}

TEST(PhaseInferenceTest, WhatWasSaidHoldsAgainstTwoLooksEvenForward) {
  EXPECT_EQ(Phases({.told = true}, kPlanning, {kTesting, kTesting, kTesting}),
            (Expected{kPlanning, kPlanning, kTesting}));
  EXPECT_EQ(Phases({.told = true}, kPlanning, {kTesting, kTesting, kPlanning, kTesting, kTesting}),
            (Expected{kPlanning, kPlanning, kPlanning, kPlanning, kPlanning}));
  EXPECT_EQ(Phases({.told = true}, kPlanning, {kTesting, kTesting, kImplementation, kTesting}),
            (Expected{kPlanning, kPlanning, kPlanning, kPlanning}));
}

TEST(PhaseInferenceTest, AfterAGuessHasOverruledWhatWasSaidGuessesCountAsUsual) {
  EXPECT_EQ(Phases({.told = true}, kPlanning, {kTesting, kTesting, kTesting, kCompletion}),
            (Expected{kPlanning, kPlanning, kTesting, kCompletion}));
}

}  // namespace
}  // namespace belay
