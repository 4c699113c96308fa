#include "engine/supervise/phase_inference.h"

namespace belay {
namespace {

constexpr int kLooksAgainstSaid = 3;
constexpr int kLooksToGoBack = 2;

int LooksNeeded(const PhaseMemory& memory, WorkPhase present, WorkPhase guess) {
  if (memory.told) return kLooksAgainstSaid;
  return guess > present ? 1 : kLooksToGoBack;
}

}  // namespace

// A running test is the present; a commit and changed files are the past.
std::optional<WorkPhase> GuessPhase(const WorkEvidence& evidence) {
  if (evidence.test_command_runs) return WorkPhase::kTesting;
  if (evidence.committed) return WorkPhase::kCompletion;
  if (evidence.files_changed) return WorkPhase::kImplementation;
  return std::nullopt;
}

std::optional<WorkPhase> ConsiderPhase(PhaseMemory& memory, WorkPhase present,
                                       std::optional<WorkPhase> guess) {
  if (!guess) return std::nullopt;
  memory.looks = memory.guess == guess ? memory.looks + 1 : 1;
  memory.guess = guess;
  if (*guess == present || memory.looks < LooksNeeded(memory, present, *guess)) {
    return std::nullopt;
  }
  memory.told = false;
  return guess;
}

}  // namespace belay
