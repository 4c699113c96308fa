#include "snapshot/restore.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "adapters/git/fields.h"
#include "base/path.h"
#include "snapshot/restore_checkout.h"
#include "snapshot/restore_files.h"
#include "snapshot/restore_plan.h"
#include "snapshot/restore_present.h"
#include "snapshot/restore_wanted.h"

namespace belay {
namespace {

using PathSet = std::set<std::string, std::less<>>;

// One restore, from the first look to the last sync.
class Restorer {
 public:
  Restorer(const Worktree& worktree, const RestoreRequest& request)
      : worktree_(worktree), request_(request), root_(worktree.place.worktree) {}

  Result<Restored> Run();

 private:
  Result<void> Inspect();
  Restored Describe() const;
  std::vector<std::string> Kept() const;
  std::vector<NotRestored> Conflicts() const;
  Result<bool> CanMerge() const;
  Result<void> Write(Restored& restored);
  Result<void> WriteFiles(WorkFolder& staging, Restored& restored);
  Result<void> WriteIndex() const;

  const Worktree& worktree_;
  const RestoreRequest& request_;
  const std::string& root_;
  std::optional<FileInfo> index_file_;
  GitStatus status_;
  Wanted wanted_;
  Present present_;
  RestorePlan plan_;
};

Result<void> Restorer::Inspect() {
  BELAY_TRY_ASSIGN(index_file_,
                   IfThere(worktree_.files.Inspect(JoinPath(worktree_.place.git_folder, "index"))));
  BELAY_TRY_ASSIGN(status_, ReadStatus(worktree_.git));
  BELAY_TRY_ASSIGN(wanted_, ReadWanted(worktree_.git, request_.snapshot, status_.head));
  BELAY_TRY_ASSIGN(present_, InspectPresent(worktree_, request_.snapshot, wanted_, status_));
  if (request_.after_clean) {
    std::erase_if(present_.paths, [](const PathToRestore& path) {
      return path.IsSettings() && path.now != FileNow::kNothing;
    });
  }
  plan_ = PlanRestore(present_.paths, present_.index_paths);
  RefuseSecrets(request_.rules, present_, plan_);
  return {};
}

std::vector<std::string> Restorer::Kept() const {
  PathSet others;
  for (const StatusEntry& entry : status_.entries) {
    if (!IsOwnPath(entry.path)) others.insert(entry.path);
  }
  for (const SkippedPath& skipped : request_.snapshot.record.skipped) others.erase(skipped.path);
  for (const PathToRestore& path : present_.paths) {
    const bool left_alone =
        path.IsDeletedSince() || (!path.IsChanged() && path.now == FileNow::kOther);
    if (!left_alone) others.erase(path.path);
  }
  return {others.begin(), others.end()};
}

Restored Restorer::Describe() const {
  Restored restored{.skipped = plan_.skipped, .kept = Kept()};
  PathSet named;
  for (const NotRestored& skipped : plan_.skipped) named.insert(skipped.path);
  for (const SkippedPath& skipped : request_.snapshot.record.skipped) {
    if (!named.insert(skipped.path).second) continue;
    restored.skipped.push_back({skipped.path, std::string(SkipReasonMeaning(skipped.reason))});
  }
  for (const std::string& path : wanted_.skipped) {
    restored.skipped.push_back({path, "a path that belay uses itself"});
  }
  PathSet files(plan_.removals.begin(), plan_.removals.end());
  files.insert(plan_.checkouts.begin(), plan_.checkouts.end());
  for (const PlannedWrite& write : plan_.writes) files.insert(write.path);
  for (const PlannedIndex& change : plan_.index) files.insert(change.path);
  for (const PlannedConflict& conflict : plan_.conflicts) {
    if (conflict.can_merge) files.insert(conflict.path);
  }
  restored.files.assign(files.begin(), files.end());
  return restored;
}

// One row per path.
std::vector<NotRestored> Restorer::Conflicts() const {
  std::map<std::string, std::string> reasons;
  for (const PlannedConflict& conflict : plan_.conflicts) {
    std::string& why = reasons[conflict.path];
    why += (why.empty() ? "" : "; ") + conflict.why;
  }
  std::vector<NotRestored> conflicts;
  for (const auto& [path, why] : reasons) conflicts.push_back({path, why});
  return conflicts;
}

// Tried in a temporary place.
Result<bool> Restorer::CanMerge() const {
  const std::string start = JoinPath(worktree_.place.git_folder, "belay-restore-");
  WorkFolder::Sweep(worktree_.files, start);
  BELAY_TRY_ASSIGN(WorkFolder staging, WorkFolder::Create(worktree_.files, start));
  BELAY_TRY_ASSIGN(const auto merged, StageMerges(worktree_, staging, plan_, present_));
  return merged.has_value();
}

Result<void> Restorer::WriteIndex() const {
  if (plan_.index.empty()) return {};
  BELAY_TRY(CheckIndexAsSeen(worktree_, {index_file_, wanted_, status_.head}, plan_.index));
  Result<void> changed = ChangeIndex(worktree_.git, plan_.index, request_.snapshot.commit.format());
  if (changed || changed.error().code != ErrorCode::kBusy) return changed;
  // Files were changed already, which kBusy would deny.
  return Error{
      ErrorCode::kFailed, changed.error().message,
      "the files are restored, but not the index: " + changed.error().hint + ", and restore again"};
}

Result<void> Restorer::WriteFiles(WorkFolder& staging, Restored& restored) {
  BELAY_TRY_ASSIGN(std::vector<StagedFile> staged,
                   StageFiles(worktree_, staging, plan_.writes, request_.snapshot.record.modes));
  BELAY_TRY_ASSIGN(auto merged, StageMerges(worktree_, staging, plan_, present_));
  if (!merged) return ChangedDuringRestore(root_);  // a moment ago they merged cleanly
  staged.insert(staged.end(), merged->begin(), merged->end());
  BELAY_TRY(worktree_.files.SyncDisk(root_));
  if (plan_.TakesAway() || !merged->empty()) {
    BELAY_TRY_ASSIGN(restored.rescue, TakeRescue(worktree_, request_, present_, plan_));
  }
  FileRestorer files(worktree_.files, root_, present_.seen, staging);
  BELAY_TRY(files.Check(TakenAway(plan_)));
  BELAY_TRY(files.Remove(plan_.removals));
  BELAY_TRY(files.MoveIn(staged));
  files.RemoveEmptied(plan_.removals);
  BELAY_TRY_ASSIGN(staged,
                   StageFromBase(worktree_, staging, request_.snapshot.base, plan_.checkouts));
  if (!staged.empty()) BELAY_TRY(worktree_.files.SyncDisk(root_));
  return files.MoveIn(staged);
}

Result<void> Restorer::Write(Restored& restored) {
  const std::string start = JoinPath(root_, kStagingStart);
  WorkFolder::Sweep(worktree_.files, start);
  if (restored.files.empty()) return {};
  {
    BELAY_TRY_ASSIGN(WorkFolder staging, WorkFolder::Create(worktree_.files, start));
    BELAY_TRY(WriteFiles(staging, restored));
  }
  BELAY_TRY(WriteIndex());
  // So that git needn't read the new files to see that they match the index; nothing depends on it.
  (void)worktree_.git.Run({.arguments = {"update-index", "-q", "--refresh"}, .good_exits = {0, 1}});
  BELAY_TRY(worktree_.files.SyncFolder(worktree_.place.git_folder));
  return worktree_.files.SyncDisk(root_);
}

Result<Restored> Restorer::Run() {
  BELAY_TRY(CheckIndexLock(worktree_, "restore"));
  BELAY_TRY(Inspect());
  Restored restored = Describe();
  if (!plan_.conflicts.empty()) {
    BELAY_TRY_ASSIGN(restored.merges_cleanly, CanMerge());
    if (!request_.merge || !restored.merges_cleanly) {
      restored.conflicts = Conflicts();
      restored.files.clear();
      return restored;
    }
    for (const PlannedConflict& conflict : plan_.conflicts) {
      if (!conflict.in_file) restored.skipped.push_back({conflict.path, conflict.why});
    }
  }
  if (request_.dry_run) return restored;
  Result<void> written = Write(restored);
  if (written) return restored;
  Error error = std::move(written).error();
  if (restored.rescue) {
    error.hint += fmt::format("{}saved the previous state as {}", error.hint.empty() ? "" : "; ",
                              restored.rescue->id.text());
  }
  return error;
}

}  // namespace

Result<Restored> RestoreSnapshot(const Worktree& worktree, const RestoreRequest& request) {
  return Restorer(worktree, request).Run();
}

namespace {

constexpr std::uint32_t kNewFolder = 0777;  // the umask restricts it

bool IsInside(const std::string& folder, const std::string& path) {
  return path == folder || path.starts_with(folder + "/");
}

Error Refuse(const std::string& folder, std::string_view why) {
  return {ErrorCode::kRefused, fmt::format("restore into {}: {}", QuotePath(folder), why),
          "name a folder that doesn't exist, or an empty one"};
}

// The folder as an absolute path without links; it doesn't exist, or is empty.
Result<std::string> FindPlace(const Worktree& worktree, const std::string& folder) {
  std::string name = folder;
  while (name.size() > 1 && name.ends_with('/')) name.pop_back();
  if (name.empty()) return Error{ErrorCode::kUsage, "restore into: the folder name is empty"};
  BELAY_TRY_ASSIGN(const std::optional<FileInfo> there, IfThere(worktree.files.Inspect(name)));
  if (!there) {
    BELAY_TRY_ASSIGN(const std::string parent,
                     worktree.files.Resolve(std::string(ParentPath(name))));
    return JoinPath(parent, FileName(name));
  }
  if (there->kind != FileKind::kFolder) return Refuse(folder, "it is not a folder");
  BELAY_TRY_ASSIGN(const std::vector<std::string> names, worktree.files.List(name));
  if (!names.empty()) return Refuse(folder, "it isn't empty");
  return worktree.files.Resolve(name);
}

Result<std::string> CheckedPlace(const Worktree& worktree, const std::string& folder) {
  BELAY_TRY_ASSIGN(std::string place, FindPlace(worktree, folder));
  const std::string_view name = FileName(place);
  if (name.empty() || name == "." || name == "..") return Refuse(folder, "its name is empty");
  for (const std::string& git : {worktree.place.common_folder, worktree.place.git_folder}) {
    if (IsInside(git, place)) return Refuse(folder, "it is inside git's own folder");
  }
  return place;
}

struct Parts {
  std::vector<PlannedWrite> writes = {};
  std::vector<std::string> changed = {};  // differ from the base
  std::vector<std::string> modules = {};
  Restored restored = {};
};

Parts TakeApart(const SavedSnapshot& snapshot, const Wanted& wanted) {
  Parts parts;
  for (const auto& [path, want] : wanted.paths) {
    if (want.target == want.base && !want.raw) continue;
    parts.changed.push_back(path);
    if (want.target.mode == kSubmoduleMode) {
      parts.modules.push_back(path);
      parts.restored.skipped.push_back(
          {path, fmt::format("a submodule: it had {} checked out", want.target.id.Short())});
    } else if (want.target.IsThere()) {
      parts.writes.push_back({path, want.target});
      parts.restored.files.push_back(path);
    }
  }
  for (const SkippedPath& skipped : snapshot.record.skipped) {
    parts.restored.skipped.push_back(
        {skipped.path, std::string(SkipReasonMeaning(skipped.reason))});
  }
  for (const std::string& path : wanted.skipped) {
    parts.restored.skipped.push_back({path, "a path that belay uses itself"});
  }
  return parts;
}

// The snapshot's changes come first: its attributes apply to the rest.
Result<void> FillFolder(const Worktree& worktree, const SavedSnapshot& snapshot, const Parts& parts,
                        WorkFolder& staging, const std::string& tree) {
  BELAY_TRY(worktree.files.CreateFolder(tree, kNewFolder));
  BELAY_TRY_ASSIGN(const std::vector<StagedFile> staged,
                   StageFiles(worktree, staging, parts.writes, snapshot.record.modes));
  const InspectedPaths nothing;
  FileRestorer files(worktree.files, tree, nothing, staging);
  BELAY_TRY(files.MoveIn(staged));
  BELAY_TRY(CheckOutBase(worktree, staging, snapshot.base, parts.changed, tree));
  return files.MakeFolders(parts.modules);
}

}  // namespace

Result<Restored> RestoreInto(const Worktree& worktree, const SavedSnapshot& snapshot,
                             const std::string& folder) {
  BELAY_TRY_ASSIGN(const std::string place, CheckedPlace(worktree, folder));
  BELAY_TRY_ASSIGN(const Wanted wanted, ReadWanted(worktree.git, snapshot, {}));
  Parts parts = TakeApart(snapshot, wanted);
  const std::string parent(ParentPath(place));
  const std::string start = JoinPath(parent, fmt::format(".{}.belay-", FileName(place)));
  WorkFolder::Sweep(worktree.files, start);
  {
    BELAY_TRY_ASSIGN(WorkFolder staging, WorkFolder::Create(worktree.files, start));
    const std::string tree = staging.NewPath();
    BELAY_TRY(FillFolder(worktree, snapshot, parts, staging, tree));
    BELAY_TRY(worktree.files.SyncDisk(parent));
    // Replaces an empty folder, and fails if it is no longer empty.
    BELAY_TRY(worktree.files.Rename(tree, place));
  }
  BELAY_TRY(worktree.files.SyncFolder(parent));
  return std::move(parts.restored);
}

}  // namespace belay
