// The verdict from the runs of a gate. Pure.
//
// A red gate is run again as often as it may be retried; green on a later try counts, and is
// recorded as a flake. A gate that can't be run is no verdict on the work, however often it is
// tried: it is never a pass. Exit codes 126 and 127 mean that a program couldn't be run.

#ifndef BELAY_ENGINE_MERGE_GATE_VERDICT_H_
#define BELAY_ENGINE_MERGE_GATE_VERDICT_H_

#include <span>
#include <string>

#include "base/time.h"
#include "model/merge_entry.h"

namespace belay {

struct GateRule {
  std::string name;
  std::string run;  // a shell command
  Duration timeout = std::chrono::minutes(10);
  std::uint32_t retries = 0;

  bool operator==(const GateRule&) const = default;
};

// Changes with everything that may change the result: the command, the limits.
std::string RuleDigest(const GateRule& rule);

// The outcome of one run; `exit_code` as in a shell: 128 + signal when a signal ended it.
GateOutcome OutcomeOf(int exit_code, bool timed_out);

enum class GateVerdict { kAgain, kGreen, kRed, kUnrunnable, kCancelled };
GateVerdict JudgeGate(const GateRule& rule, std::span<const GateOutcome> runs);

// The status of an entry from its gates' results, in order: the first that isn't green counts.
MergeStatus StatusAfterGates(std::span<const GateResult> results);

}  // namespace belay

#endif  // BELAY_ENGINE_MERGE_GATE_VERDICT_H_
