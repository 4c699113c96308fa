// The settings of the section `merge`, as values.

#ifndef BELAY_ENGINE_MERGE_SETTINGS_H_
#define BELAY_ENGINE_MERGE_SETTINGS_H_

#include <string>
#include <vector>

#include "config/config.h"
#include "engine/merge/gate_verdict.h"

namespace belay {

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
