#include "engine/events/action_phase.h"

namespace belay {
namespace {

constexpr int kAgainstSaid = 8;

int CallsToGoBack(WorkPhase phase) { return phase == WorkPhase::kInvestigation ? 8 : 3; }

int CallsNeeded(const ActionMemory& memory, WorkPhase present, WorkPhase guess) {
  if (memory.told) return kAgainstSaid;
  return guess > present ? 1 : CallsToGoBack(guess);
}

}  // namespace

std::optional<WorkPhase> PhaseOf(ActionKind kind) {
  switch (kind) {
    case ActionKind::kOther:
      return std::nullopt;
    case ActionKind::kRead:
      return WorkPhase::kInvestigation;
    case ActionKind::kPlan:
      return WorkPhase::kPlanning;
    case ActionKind::kEdit:
      return WorkPhase::kImplementation;
    case ActionKind::kTest:
      return WorkPhase::kTesting;
    case ActionKind::kCommit:
      return WorkPhase::kCompletion;
  }
  __builtin_unreachable();
}

std::optional<WorkPhase> ConsiderAction(ActionMemory& memory, WorkPhase present, ActionKind kind) {
  const std::optional<WorkPhase> guess = PhaseOf(kind);
  if (!guess) return std::nullopt;
  if (*guess == present) {
    memory.calls = {};
    return std::nullopt;
  }
  const int calls = ++memory.calls[static_cast<std::size_t>(*guess)];
  if (calls < CallsNeeded(memory, present, *guess)) return std::nullopt;
  memory = {};
  return guess;
}

}  // namespace belay
