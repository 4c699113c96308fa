#include "engine/merge/gate_verdict.h"

#include "codec/hash.h"
#include "codec/json.h"

namespace belay {

std::string RuleDigest(const GateRule& rule) {
  constexpr std::size_t kEnough = 16;
  return Sha256Hex(WriteJson(MakeObject({{"name", rule.name},
                                         {"run", rule.run},
                                         {"timeout", FormatDuration(rule.timeout)},
                                         {"retries", std::int64_t{rule.retries}}})))
      .substr(0, kEnough);
}

GateOutcome OutcomeOf(int exit_code, bool timed_out) {
  if (timed_out) return GateOutcome::kTimedOut;
  if (exit_code == 0) return GateOutcome::kPassed;
  const bool unrunnable = exit_code == 126 || exit_code == 127;
  return unrunnable ? GateOutcome::kUnrunnable : GateOutcome::kFailed;
}

GateVerdict JudgeGate(const GateRule& rule, std::span<const GateOutcome> runs) {
  if (runs.empty()) return GateVerdict::kAgain;
  switch (runs.back()) {
    case GateOutcome::kPassed:
      return GateVerdict::kGreen;
    case GateOutcome::kUnrunnable:
      return GateVerdict::kUnrunnable;
    case GateOutcome::kCancelled:
      return GateVerdict::kCancelled;
    case GateOutcome::kFailed:
    case GateOutcome::kTimedOut:
      return runs.size() <= rule.retries ? GateVerdict::kAgain : GateVerdict::kRed;
  }
  __builtin_unreachable();
}

MergeStatus StatusAfterGates(std::span<const GateResult> results) {
  for (const GateResult& result : results) {
    switch (result.outcome) {
      case GateOutcome::kPassed:
        continue;
      case GateOutcome::kUnrunnable:
        return MergeStatus::kGateUnrunnable;
      case GateOutcome::kCancelled:
        return MergeStatus::kCancelled;
      case GateOutcome::kFailed:
      case GateOutcome::kTimedOut:
        return MergeStatus::kGateFailed;
    }
  }
  return MergeStatus::kMerging;
}

}  // namespace belay
