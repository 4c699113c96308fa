// What a session is shown of the resumption section: how fresh it is, the brief, and the block that
// the prompt hook adds. Pure.
//
// clang-format off
//   level      when
//   --------   ------------------------------------------------------------------------------------
//   CRITICAL   it was never updated; the last event came from another session; or it was updated
//              before this session started
//   STALE      it was updated before the current phase began, or longer ago than 30 minutes; or its
//              time is in the future, which is invalid
//   FRESH      otherwise
// clang-format on

#ifndef BELAY_ENGINE_RESUMPTION_ORIENTATION_H_
#define BELAY_ENGINE_RESUMPTION_ORIENTATION_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "engine/context_window/context_tier.h"
#include "engine/resumption/document.h"
#include "model/resumption.h"
#include "os/random.h"

namespace belay {

enum class Staleness { kFresh, kStale, kCritical };
std::string_view StalenessName(Staleness level);  // "FRESH"

struct StalenessFacts {
  WallTime now = {};
  Duration stale_after = std::chrono::minutes(30);
  std::optional<WallTime> session_start = {};  // of the session that asks
  bool other_session = false;                  // the last event came from another one
  std::optional<WallTime> phase_began = {};    // the last T1
};

struct StalenessReport {
  Staleness level = Staleness::kFresh;
  std::vector<std::string> reasons = {};
};
StalenessReport JudgeStaleness(const Resumption& section, const StalenessFacts& facts);

constexpr std::size_t kMostBriefBytes = 3'200;  // 800 tokens of four bytes

// What a newcomer needs, from the section alone, at most kMostBriefBytes. Texts of others are data.
std::string ResumptionBrief(const Resumption& section, Staleness level, Random& random);

// For the prompt of an agent. `tier`: nothing when it isn't known.
std::string ContextMonitor(const StalenessReport& report, std::optional<ContextTier> tier);

// The line that belay init offers for a project's rules file, and the budget of all such lines.
std::string_view ReinjectMarker();
constexpr std::int64_t kReinjectBudget = 625;
// The sum of the `tokens=` fields of the markers in a text.
std::int64_t ReinjectTokens(std::string_view text);

}  // namespace belay

#endif  // BELAY_ENGINE_RESUMPTION_ORIENTATION_H_
