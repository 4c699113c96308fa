#include <fmt/core.h>

#include <algorithm>

#include "adapters/git/quoted_path.h"
#include "base/path.h"
#include "snapshot/restore.h"
#include "snapshot/restore_checkout.h"
#include "snapshot/restore_files.h"
#include "snapshot/restore_present.h"
#include "snapshot/restore_wanted.h"
#include "snapshot/work_folder.h"

namespace belay {
namespace {

constexpr std::uint32_t kUsualFolder = 0777;  // the umask says the rest

bool IsInside(const std::string& folder, const std::string& path) {
  return path == folder || path.starts_with(folder + "/");
}

Error Refuse(const std::string& folder, std::string_view why) {
  return {ErrorCode::kRefused, fmt::format("restore into {}: {}", QuotePath(folder), why),
          "name a folder that isn't there, or an empty one"};
}

// The folder as an absolute path without links; it isn't there, or is empty.
Result<std::string> FindPlace(const Worktree& worktree, const std::string& folder) {
  std::string name = folder;
  while (name.size() > 1 && name.ends_with('/')) name.pop_back();
  if (name.empty()) return Error{ErrorCode::kUsage, "restore into: the folder has no name"};
  BELAY_TRY_ASSIGN(const std::optional<FileInfo> there, InspectIfThere(worktree.files, name));
  if (!there) {
    BELAY_TRY_ASSIGN(const std::string parent,
                     worktree.files.Resolve(std::string(ParentPath(name))));
    return JoinPath(parent, FileName(name));
  }
  if (there->kind != FileKind::kFolder) return Refuse(folder, "it is no folder");
  BELAY_TRY_ASSIGN(const std::vector<std::string> names, worktree.files.List(name));
  if (!names.empty()) return Refuse(folder, "it isn't empty");
  return worktree.files.Resolve(name);
}

Result<std::string> CheckedPlace(const Worktree& worktree, const std::string& folder) {
  BELAY_TRY_ASSIGN(std::string place, FindPlace(worktree, folder));
  const std::string_view name = FileName(place);
  if (name.empty() || name == "." || name == "..") return Refuse(folder, "it has no name");
  for (const std::string& git : {worktree.place.common_folder, worktree.place.git_folder}) {
    if (IsInside(git, place)) return Refuse(folder, "git's own files are there");
  }
  return place;
}

struct Parts {
  std::vector<PlannedWrite> writes = {};
  std::vector<std::string> changed = {};  // not as the base has them
  std::vector<std::string> modules = {};
  Restored restored = {};
};

Parts TakeApart(const SavedSnapshot& snapshot, const Wanted& wanted) {
  Parts parts;
  for (const auto& [path, want] : wanted.paths) {
    if (want.target == want.base) continue;
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
    parts.restored.skipped.push_back({path, "a place of belay's own"});
  }
  return parts;
}

// What the snapshot changed comes first: its attributes count for the rest.
Result<void> Furnish(const Worktree& worktree, const SavedSnapshot& snapshot, const Parts& parts,
                     WorkFolder& staging, const std::string& tree) {
  BELAY_TRY(worktree.files.CreateFolder(tree, kUsualFolder));
  BELAY_TRY_ASSIGN(const std::vector<StagedFile> staged,
                   StageFiles(worktree, staging, parts.writes, snapshot.record.modes));
  const LookedAtPaths nothing;
  FileRestorer files(worktree.files, tree, nothing);
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
    BELAY_TRY(Furnish(worktree, snapshot, parts, staging, tree));
    BELAY_TRY(worktree.files.SyncDisk(parent));
    // Replaces an empty folder, and fails if it isn't empty any more.
    BELAY_TRY(worktree.files.Rename(tree, place));
  }
  BELAY_TRY(worktree.files.SyncFolder(parent));
  return std::move(parts.restored);
}

}  // namespace belay
