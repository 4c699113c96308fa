#include "snapshot/restore_plan.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string_view>

#include "adapters/git/fields.h"
#include "base/text.h"

namespace belay {
namespace {

using PlannedPaths = std::set<std::string, std::less<>>;

bool IsRegular(const GitEntry& entry) {
  return entry.mode == kFileMode || entry.mode == kProgramMode;
}

enum class FileStep { kNothing, kSkip, kCheckOut, kWrite, kReplace, kRemove, kConflict };

FileStep StepOfChanged(FileNow now) {
  switch (now) {
    case FileNow::kTarget:
      return FileStep::kNothing;
    case FileNow::kOtherRights:
    case FileNow::kBase:
      return FileStep::kReplace;
    case FileNow::kNothing:
    case FileNow::kFolder:
      return FileStep::kWrite;
    case FileNow::kOther:
      return FileStep::kConflict;
  }
  return FileStep::kConflict;
}

FileStep StepOfDeleted(FileNow now) {
  switch (now) {
    case FileNow::kTarget:
    case FileNow::kOtherRights:
    case FileNow::kNothing:
    case FileNow::kFolder:
      return FileStep::kNothing;
    case FileNow::kBase:
      return FileStep::kRemove;
    case FileNow::kOther:
      return FileStep::kConflict;
  }
  return FileStep::kConflict;
}

FileStep StepOf(const PathToRestore& path) {
  if (path.IsDeletedSince()) return FileStep::kNothing;
  if (!path.IsChanged()) {
    const bool lost = path.missing && path.now == FileNow::kNothing;
    return lost && path.base.IsThere() && path.base.mode != kSubmoduleMode ? FileStep::kCheckOut
                                                                           : FileStep::kNothing;
  }
  if (path.target.mode == kSubmoduleMode) return FileStep::kSkip;
  const bool module_goes = !path.target.IsThere() && path.base.mode == kSubmoduleMode;
  if (module_goes && path.now == FileNow::kFolder) return FileStep::kSkip;
  return path.target.IsThere() ? StepOfChanged(path.now) : StepOfDeleted(path.now);
}

std::string WhySubmoduleStays(const GitEntry& target) {
  if (!target.IsThere()) return "a submodule that was removed: its folder stays";
  return fmt::format("a submodule: it had {} checked out", target.id.Short());
}

// The highest of several; empty: none of the path's folders is in `paths`.
std::string ParentIn(const PlannedPaths& paths, std::string_view path) {
  for (std::size_t end = path.find('/'); end != std::string_view::npos;
       end = path.find('/', end + 1)) {
    const auto parent = paths.find(path.substr(0, end));
    if (parent != paths.end()) return *parent;
  }
  return {};
}

class Planner {
 public:
  explicit Planner(const std::vector<std::string>& index_paths)
      : index_paths_(index_paths.begin(), index_paths.end()) {}

  RestorePlan Plan(const std::vector<PathToRestore>& paths);

 private:
  void PlanRemoval(const PathToRestore& path, FileStep step);
  void PlanFile(const PathToRestore& path, FileStep step);
  void PlanIndex(const PathToRestore& path);
  void SetIndex(const PathToRestore& path, const IndexState& state);
  std::string InTheWay(const PathToRestore& path) const;
  std::string InTheWayInIndex(std::string_view path) const;

  PlannedPaths index_paths_;  // those that stay
  PlannedPaths removals_;
  PlannedPaths files_;  // the snapshot's, where it differs from the base
  RestorePlan plan_;
};

// Empty: nothing.
std::string Planner::InTheWay(const PathToRestore& path) const {
  for (const std::string& blocker : path.blockers) {
    if (!removals_.contains(blocker)) return blocker;
  }
  return {};
}

std::string Planner::InTheWayInIndex(std::string_view path) const {
  if (std::string parent = ParentIn(index_paths_, path); !parent.empty()) return parent;
  const std::string folder = fmt::format("{}/", path);
  const auto inside = index_paths_.lower_bound(folder);
  if (inside != index_paths_.end() && inside->starts_with(folder)) return *inside;
  return {};
}

// A removal, in files and index: it makes room for additions.
void Planner::PlanRemoval(const PathToRestore& path, FileStep step) {
  if (step == FileStep::kRemove) {
    removals_.insert(path.path);
    plan_.removals.push_back(path.path);
  }
  if (path.IsChanged() && path.target.IsThere()) files_.insert(path.path);
  const bool same = path.index_now == path.target_index;
  if (!same && path.index_now == IndexState{.entry = path.base} && !path.target_index.IsThere()) {
    index_paths_.erase(path.path);
  }
}

void Planner::PlanFile(const PathToRestore& path, FileStep step) {
  const std::string blocker = InTheWay(path);
  const bool writes = step == FileStep::kWrite || step == FileStep::kReplace;
  if (writes && !blocker.empty()) {
    plan_.conflicts.push_back({.path = path.path,
                               .why = fmt::format("{} is in the way now", QuotePath(blocker)),
                               .in_file = true});
    return;
  }
  if (writes) {
    plan_.writes.push_back({path.path, path.target, step == FileStep::kReplace});
  } else if (step == FileStep::kConflict) {
    plan_.conflicts.push_back(
        {.path = path.path,
         .why = "it has changed since",
         .in_file = true,
         .can_merge = IsRegular(path.base) && IsRegular(path.target) && path.now_regular});
  } else if (step == FileStep::kSkip) {
    plan_.skipped.push_back({path.path, WhySubmoduleStays(path.target)});
  }
}

void Planner::SetIndex(const PathToRestore& path, const IndexState& state) {
  const std::string other = state.IsThere() ? InTheWayInIndex(path.path) : std::string();
  if (!other.empty()) {
    plan_.conflicts.push_back(
        {.path = path.path, .why = fmt::format("{} is staged now", QuotePath(other))});
    return;
  }
  if (state.intent_to_add && !path.target.IsThere()) {
    plan_.skipped.push_back({path.path, "to be added, but it wasn't there"});
    return;
  }
  plan_.index.push_back({path.path, state, path.index_now});
}

void Planner::PlanIndex(const PathToRestore& path) {
  const IndexState base{.entry = path.base};
  if (path.target_index == base || path.index_now == path.target_index) return;
  if (path.index_now == base || !path.index_now.IsThere()) {
    return SetIndex(path, path.target_index);
  }
  plan_.conflicts.push_back({.path = path.path, .why = "the staged content has changed since"});
}

RestorePlan Planner::Plan(const std::vector<PathToRestore>& paths) {
  for (const PathToRestore& path : paths) PlanRemoval(path, StepOf(path));
  for (const PathToRestore& path : paths) {
    const FileStep step = StepOf(path);
    PlanFile(path, step);
    // A file that only disappeared is not worth a conflict. A path that the snapshot has as
    // untracked needs no room in the index. Below a link to itself, git considers files unchanged
    // that can't exist.
    const bool staged = path.target_index.IsThere() && !path.index_now.IsThere();
    const bool free = InTheWay(path).empty() && ParentIn(files_, path.path).empty() &&
                      !(staged && !InTheWayInIndex(path.path).empty());
    if (step == FileStep::kCheckOut && free) plan_.checkouts.push_back(path.path);
    PlanIndex(path);
  }
  return std::move(plan_);
}

}  // namespace

bool IndexState::IsThere() const {
  return entry.IsThere() || intent_to_add ||
         std::any_of(stages.begin(), stages.end(),
                     [](const GitEntry& stage) { return stage.IsThere(); });
}

bool PathToRestore::IsDeletedSince() const {
  return now == FileNow::kNothing && base.IsThere() && target == base && !index_now.IsThere() &&
         target_index == IndexState{.entry = base};
}

bool PathToRestore::IsSettings() const {
  constexpr std::string_view kSettings[] = {".claude/belay.yml", ".claude/settings.json",
                                            ".claude/settings.local.json", ".claude/talisman.yml"};
  return IsIn(kSettings, path) || (!base.IsThere() && path.starts_with(".claude/"));
}

bool RestorePlan::TakesAway() const {
  return !removals.empty() ||
         std::any_of(writes.begin(), writes.end(),
                     [](const PlannedWrite& write) { return write.replaces; }) ||
         std::any_of(index.begin(), index.end(),
                     [](const PlannedIndex& change) { return change.before.IsThere(); });
}

RestorePlan PlanRestore(const std::vector<PathToRestore>& paths,
                        const std::vector<std::string>& index_paths) {
  return Planner(index_paths).Plan(paths);
}

}  // namespace belay
