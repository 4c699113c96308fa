// The files of a plan, done: made beside the tree, and then moved into it one by one.
//
// Right before a path is touched, it is looked at once more: if it isn't what the plan saw, nothing
// more is done (kFailed). No link on the way to a path is followed.

#ifndef BELAY_SNAPSHOT_RESTORE_FILES_H_
#define BELAY_SNAPSHOT_RESTORE_FILES_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "snapshot/restore_plan.h"
#include "snapshot/restore_present.h"
#include "snapshot/work_folder.h"
#include "snapshot/worktree.h"

namespace belay {

struct StagedFile {
  std::string staged;  // where it was made
  std::string path;    // where it goes, seen from the root
};

class FileRestorer {
 public:
  // Everything is borrowed; `seen` is what the plan saw.
  FileRestorer(FileSystem& files, const std::string& root, const LookedAtPaths& seen)
      : files_(files), root_(root), seen_(seen) {}

  // Whether files and links that were seen are still the same.
  Result<void> Check(const std::vector<std::string>& paths) const;
  Result<void> Remove(const std::vector<std::string>& paths);
  Result<void> MoveIn(const std::vector<StagedFile>& staged);
  Result<void> MakeFolders(const std::vector<std::string>& paths);
  // Folders that lost their last file by Remove.
  void RemoveEmptied(const std::vector<std::string>& removed);

 private:
  Result<bool> IsAsSeen(const std::string& path) const;
  Result<void> MakeParents(std::string_view path);
  Result<void> MoveOne(const StagedFile& file);
  Result<void> MoveNew(const std::string& from, const std::string& to);
  Result<void> RemoveEmptyFolders(const std::string& folder);

  FileSystem& files_;
  const std::string& root_;
  const LookedAtPaths& seen_;
};

// Made from git's objects, with the permissions that `modes` names.
Result<std::vector<StagedFile>> StageFiles(const Worktree& worktree, WorkFolder& staging,
                                           const std::vector<PlannedWrite>& writes,
                                           const std::map<std::string, std::uint32_t>& modes);

Error ChangedMeanwhile(std::string_view what);

}  // namespace belay

#endif  // BELAY_SNAPSHOT_RESTORE_FILES_H_
