// The settings of the section `merge`, as values.

#ifndef BELAY_ENGINE_MERGE_SETTINGS_H_
#define BELAY_ENGINE_MERGE_SETTINGS_H_

#include <span>
#include <string>
#include <vector>

#include "base/time.h"
#include "config/config.h"
#include "model/merge_entry.h"

namespace belay {

// The verdict from the runs of a gate. Pure.
//
// A red gate is run again as often as it may be retried; green on a later try counts, and is
// recorded as a flake. A gate that can't be run is no verdict on the work, however often it is
// tried: it is never a pass. Exit codes 126 and 127 mean that a program couldn't be run.

struct GateRule {
  std::string name;
  std::string run;  // a shell command
  Duration timeout = std::chrono::minutes(10);
  std::uint32_t retries = 0;
  std::string quality_gate = {};  // its name in the resumption document; empty: none

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

enum class MergeStrategy { kRebase, kSquash, kMerge };
// The committer date of written commits: when they were built, or the original one.
enum class CommitterDate { kLanding, kKeep };

// What happens when the user has changes in a checkout of the target, in files that land.
enum class DirtyCheckout {
  kWait,  // the entry waits until they are gone
  kLand,  // it lands, and those files are unmerged there
};

struct MergeSettings {
  std::string target = "main";
  MergeStrategy strategy = MergeStrategy::kRebase;
  CommitterDate committer = CommitterDate::kLanding;
  std::vector<GateRule> gates = {};
  DirtyCheckout dirty_checkout = DirtyCheckout::kWait;
  std::uint32_t most_attempts = 3;  // of the agent to fix it; then the user is asked
  Duration keep_age = std::chrono::hours(30 * 24);  // of the remains of finished entries
};

MergeSettings ReadMergeSettings(const Config& config);

}  // namespace belay

#endif  // BELAY_ENGINE_MERGE_SETTINGS_H_
