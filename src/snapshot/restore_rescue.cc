#include "snapshot/restore_rescue.h"

#include <fmt/core.h>

#include <functional>
#include <set>

#include "adapters/git/quoted_path.h"
#include "snapshot/restore_wanted.h"
#include "snapshot/take.h"

namespace belay {
namespace {

using RescuedPaths = std::set<std::string, std::less<>>;

// Removed by the plan, with bytes that are neither in the base nor in the restored snapshot.
std::vector<PathToRestore> KeptNowhere(const Present& present, const RestorePlan& plan) {
  const std::vector<std::string> paths = TakenAway(plan);
  const RescuedPaths taken_away(paths.begin(), paths.end());
  std::vector<PathToRestore> kept_nowhere;
  for (const PathToRestore& path : present.paths) {
    const auto seen = present.seen.find(path.path);
    if (!taken_away.contains(path.path) || seen == present.seen.end()) continue;
    const ObjectId& id = seen->second.entry.id;
    if (id != path.base.id && id != path.target.id) kept_nowhere.push_back(path);
  }
  return kept_nowhere;
}

bool IsKept(const GitEntries& entries, const Present& present, const std::string& path) {
  const auto entry = entries.find(path);
  return entry != entries.end() && entry->second.id == present.seen.find(path)->second.entry.id;
}

Error NotKept(const SavedSnapshot& snapshot, const SavedSnapshot& rescue, const std::string& path) {
  std::string_view why = "its content isn't in the snapshot of the present state";
  for (const SkippedPath& skipped : rescue.record.skipped) {
    if (skipped.path == path) why = SkipReasonMeaning(skipped.reason);
  }
  return {ErrorCode::kRefused,
          fmt::format("restore {}: {} would be replaced, and can't be saved first: {}",
                      snapshot.id.text(), QuotePath(path), why),
          "move it away, then restore again"};
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
    std::erase_if(plan.conflicts,
                  [&](const auto& other) { return other.in_file && other.path == path.path; });
    plan.conflicts.push_back({.path = path.path,
                              .why = "it looks like a secret, so no snapshot can save it first",
                              .in_file = true});
  }
}

Result<SavedSnapshot> TakeRescue(const Worktree& worktree, const RestoreRequest& request,
                                 const Present& present, const RestorePlan& plan) {
  TakeRequest take{.keep = request.keep,
                   .message = "before restoring " + request.snapshot.id.text(),
                   .rules = request.rules};
  for (const PathToRestore& path : KeptNowhere(present, plan)) {
    (path.index_now.IsThere() ? take.also : take.also_untracked).push_back(path.path);
  }
  BELAY_TRY_ASSIGN(Taken taken, TakeSnapshot(worktree, take));
  std::vector<std::string> paths = take.also;
  paths.insert(paths.end(), take.also_untracked.begin(), take.also_untracked.end());
  for (const ObjectId& commit : {taken.snapshot.commit, taken.snapshot.untracked}) {
    BELAY_TRY_ASSIGN(const GitEntries entries, ReadEntries(worktree.git, commit, paths));
    std::erase_if(paths, [&](const std::string& path) { return IsKept(entries, present, path); });
  }
  if (!paths.empty()) return NotKept(request.snapshot, taken.snapshot, paths[0]);
  return std::move(taken.snapshot);
}

}  // namespace belay
