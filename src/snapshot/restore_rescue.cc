#include "snapshot/restore_rescue.h"

#include <fmt/core.h>

#include <functional>
#include <set>

#include "adapters/git/quoted_path.h"
#include "snapshot/take.h"

namespace belay {
namespace {

using PathSet = std::set<std::string, std::less<>>;

// Taken away by the plan, with bytes that are neither in the base nor in the snapshot that is
// restored.
std::vector<PathToRestore> KeptNowhere(const Present& present, const RestorePlan& plan) {
  const std::vector<std::string> paths = TakenAway(plan);
  const PathSet taken_away(paths.begin(), paths.end());
  std::vector<PathToRestore> kept_nowhere;
  for (const PathToRestore& path : present.paths) {
    const auto seen = present.seen.find(path.path);
    if (!taken_away.contains(path.path) || seen == present.seen.end()) continue;
    const ObjectId& id = seen->second.entry.id;
    if (id != path.base.id && id != path.target.id) kept_nowhere.push_back(path);
  }
  return kept_nowhere;
}

}  // namespace

std::vector<std::string> TakenAway(const RestorePlan& plan) {
  std::vector<std::string> paths = plan.removals;
  for (const PlannedWrite& write : plan.writes) {
    if (write.replaces) paths.push_back(write.path);
  }
  for (const PlannedConflict& conflict : plan.conflicts) {
    if (conflict.can_merge) paths.push_back(conflict.path);
  }
  return paths;
}

void RefuseSecrets(const CaptureRules& rules, const Present& present, RestorePlan& plan) {
  for (const PathToRestore& path : KeptNowhere(present, plan)) {
    if (!rules.IsSecret(path.path)) continue;
    std::erase_if(plan.conflicts, [&](const auto& other) { return other.path == path.path; });
    plan.conflicts.push_back({.path = path.path,
                              .why = "it looks like a secret, so no snapshot can keep it first",
                              .in_file = true});
  }
}

Result<SavedSnapshot> TakeRescue(const Worktree& worktree, const RestoreRequest& request,
                                 const Present& present, const RestorePlan& plan) {
  TakeRequest take{.keep = request.keep,
                   .message = "before restoring " + request.snapshot.id.text(),
                   .rules = request.rules};
  PathSet needed;
  for (const PathToRestore& path : KeptNowhere(present, plan)) {
    needed.insert(path.path);
    if (path.index_now.IsThere()) take.also.push_back(path.path);
  }
  BELAY_TRY_ASSIGN(Taken taken, TakeSnapshot(worktree, take));
  for (const SkippedPath& skipped : taken.snapshot.record.skipped) {
    if (!needed.contains(skipped.path)) continue;
    return Error{ErrorCode::kRefused,
                 fmt::format("restore {}: {} would be replaced, and can't be kept first: {}",
                             request.snapshot.id.text(), QuotePath(skipped.path),
                             SkipReasonMeaning(skipped.reason)),
                 "move it away, and restore again"};
  }
  return std::move(taken.snapshot);
}

}  // namespace belay
