// The files of a plan, done: made beside the tree, and then moved into it one by one.
//
// Right before a path is touched, it is looked at once more: if it isn't what the plan saw, nothing
// more is done (kFailed). No link on the way to a path is followed.
//
// Even then somebody may write between the look and the deed. So nothing is deleted or overwritten
// in place: what goes changes places with what comes, or is moved into the staging folder if
// nothing comes, and is looked at there. If it isn't what the plan saw, it goes back (kFailed). If
// that can't be, since somebody was there first, it stays where it is and the error says so. At
// each moment, a path holds the old or the new content.
//
// What remains: killed between moving and looking, in the instant in which somebody wrote, the next
// restore sweeps away what they wrote. The same goes for a program that has the file open and
// writes on later, and for a file system that can't let two files change places: there it is looked
// at right before.

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

namespace belay {

struct StagedFile {
  std::string staged;  // where it was made
  std::string path;    // where it goes, seen from the root
};

class FileRestorer {
 public:
  // Everything is borrowed; `seen` is what the plan saw, and what goes is in `staging` as long as
  // that is there.
  FileRestorer(FileSystem& files, const std::string& root, const LookedAtPaths& seen,
               WorkFolder& staging)
      : files_(files), root_(root), seen_(seen), staging_(staging) {}

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
  bool IsSeenOne(const std::string& moved, const std::string& path) const;
  Error PutBack(const Result<void>& put, const std::string& moved, const std::string& path);
  Result<void> RemoveOne(const std::string& path);
  Result<void> Replace(const StagedFile& file);
  Result<void> MoveOne(const StagedFile& file);
  Result<void> MoveNew(const std::string& from, const std::string& to);
  Result<void> RemoveEmptyFolders(const std::string& folder);

  FileSystem& files_;
  const std::string& root_;
  const LookedAtPaths& seen_;
  WorkFolder& staging_;
};

// Made from git's objects, with the permissions that `modes` names.
Result<std::vector<StagedFile>> StageFiles(const Worktree& worktree, WorkFolder& staging,
                                           const std::vector<PlannedWrite>& writes,
                                           const std::map<std::string, std::uint32_t>& modes);

Error ChangedMeanwhile(std::string_view what);

}  // namespace belay

#endif  // BELAY_SNAPSHOT_RESTORE_FILES_H_
