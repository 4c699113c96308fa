#include "engine/supervise/phase_inference.h"

#include <gtest/gtest.h>

namespace belay {
namespace {

// The agent's phases, sample by sample, starting at `present`.
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
  EXPECT_EQ(GuessPhase({.files_changed = true}), WorkPhase::kImplementation);
  EXPECT_EQ(GuessPhase({.committed = true}), WorkPhase::kCompletion);
  EXPECT_EQ(GuessPhase({.files_changed = true, .committed = true}), WorkPhase::kCompletion);
  EXPECT_EQ(GuessPhase({.test_command_runs = true}), WorkPhase::kTesting);
  EXPECT_EQ(GuessPhase({.test_command_runs = true, .files_changed = true, .committed = true}),
            WorkPhase::kTesting);
}

TEST(PhaseInferenceTest, OneSampleMovesForwardAndTwoMoveBack) {
  EXPECT_EQ(Phases({}, WorkPhase::kInvestigation,
                   {WorkPhase::kImplementation, WorkPhase::kTesting, WorkPhase::kImplementation}),
            (Expected{WorkPhase::kImplementation, WorkPhase::kTesting, WorkPhase::kTesting}));
  EXPECT_EQ(
      Phases({}, WorkPhase::kTesting, {WorkPhase::kImplementation, WorkPhase::kImplementation}),
      (Expected{WorkPhase::kTesting, WorkPhase::kImplementation}));
}

TEST(PhaseInferenceTest, EditsBetweenTestsDoNotFlap) {
  EXPECT_EQ(Phases({}, WorkPhase::kTesting,
                   {WorkPhase::kImplementation, WorkPhase::kTesting, WorkPhase::kImplementation,
                    WorkPhase::kTesting}),
            (Expected{WorkPhase::kTesting, WorkPhase::kTesting, WorkPhase::kTesting,
                      WorkPhase::kTesting}));
}

TEST(PhaseInferenceTest, ALookWithoutOpinionNeitherCountsNorBreaksTheRow) {
  EXPECT_EQ(
      Phases({}, WorkPhase::kTesting,
             {WorkPhase::kImplementation, std::nullopt, std::nullopt, WorkPhase::kImplementation}),
      (Expected{WorkPhase::kTesting, WorkPhase::kTesting, WorkPhase::kTesting,
                WorkPhase::kImplementation}));
}

TEST(PhaseInferenceTest, AnExplicitPhaseOutlastsTwoSamplesEvenForward) {
  EXPECT_EQ(Phases({.is_set = true}, WorkPhase::kPlanning,
                   {WorkPhase::kTesting, WorkPhase::kTesting, WorkPhase::kTesting}),
            (Expected{WorkPhase::kPlanning, WorkPhase::kPlanning, WorkPhase::kTesting}));
  EXPECT_EQ(Phases({.is_set = true}, WorkPhase::kPlanning,
                   {WorkPhase::kTesting, WorkPhase::kTesting, WorkPhase::kPlanning,
                    WorkPhase::kTesting, WorkPhase::kTesting}),
            (Expected{WorkPhase::kPlanning, WorkPhase::kPlanning, WorkPhase::kPlanning,
                      WorkPhase::kPlanning, WorkPhase::kPlanning}));
  EXPECT_EQ(Phases({.is_set = true}, WorkPhase::kPlanning,
                   {WorkPhase::kTesting, WorkPhase::kTesting, WorkPhase::kImplementation,
                    WorkPhase::kTesting}),
            (Expected{WorkPhase::kPlanning, WorkPhase::kPlanning, WorkPhase::kPlanning,
                      WorkPhase::kPlanning}));
}

TEST(PhaseInferenceTest, AfterAGuessHasOverruledWhatWasSaidGuessesCountAsUsual) {
  EXPECT_EQ(Phases({.is_set = true}, WorkPhase::kPlanning,
                   {WorkPhase::kTesting, WorkPhase::kTesting, WorkPhase::kTesting,
                    WorkPhase::kCompletion}),
            (Expected{WorkPhase::kPlanning, WorkPhase::kPlanning, WorkPhase::kTesting,
                      WorkPhase::kCompletion}));
}

}  // namespace
}  // namespace belay
