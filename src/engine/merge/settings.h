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

// What the runs of a gate amount to. Pure.
//
// Red is asked again as often as the gate may be retried; green on a second try counts, and is
// remembered as a flake. What can't be run says nothing about the work, however often it is tried:
// it is never a pass. Exit codes 126 and 127 mean that a program couldn't be run.

struct GateRule {
  std::string name;
  std::string run;  // a command of the shell
  Duration timeout = std::chrono::minutes(10);
  std::uint32_t retries = 0;

  bool operator==(const GateRule&) const = default;
};

// Changes with whatever may change the answer: the command, the limits.
std::string RuleDigest(const GateRule& rule);

// Of one run; `exit_code` as a shell gives it, 128 + signal when one ended it.
GateOutcome OutcomeOf(int exit_code, bool timed_out);

enum class GateVerdict { kAgain, kGreen, kRed, kUnrunnable, kCancelled };
GateVerdict JudgeGate(const GateRule& rule, std::span<const GateOutcome> runs);

// The status of an entry by what its gates said, in their order: the first that isn't green counts.
MergeStatus StatusAfterGates(std::span<const GateResult> results);

enum class MergeStrategy { kRebase, kSquash, kMerge };
// The committer date of commits that are written: when they were built, or the one they had.
enum class CommitterDate { kLanding, kKeep };

// When a person has changes in a checkout of the target, in files that the work changes too.
enum class DirtyCheckout {
  kWait,  // the work waits until they are gone
  kLand,  // it lands, and those files are unmerged there
};

struct MergeSettings {
  std::string target = "main";
  MergeStrategy strategy = MergeStrategy::kRebase;
  CommitterDate committer = CommitterDate::kLanding;
  std::vector<GateRule> gates = {};
  DirtyCheckout dirty_checkout = DirtyCheckout::kWait;
  std::uint32_t most_attempts = 3;  // by whoever is to mend it; then a person is asked
  Duration keep_age = std::chrono::hours(30 * 24);  // of what is left of those that ended
};

MergeSettings ReadMergeSettings(const Config& config);

}  // namespace belay

#endif  // BELAY_ENGINE_MERGE_SETTINGS_H_
