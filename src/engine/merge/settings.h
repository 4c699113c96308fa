// The settings of the section `merge`, as values.

#ifndef BELAY_ENGINE_MERGE_SETTINGS_H_
#define BELAY_ENGINE_MERGE_SETTINGS_H_

#include <string>
#include <vector>

#include "config/config.h"
#include "engine/merge/gate_verdict.h"

namespace belay {

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
