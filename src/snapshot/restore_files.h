// Carries out the file part of a plan: files are made beside the tree, and then moved into it one
// by one.
//
// Each path is checked again right before it is touched: if it isn't what the plan saw, the restore
// stops (kFailed). Links on the way to a path are not followed.
//
// Even then another process may write between the check and the change. So nothing is deleted or
// overwritten in place: the old file changes places with the new one, or is moved into the staging
// folder if there is no new one, and is checked there. If it isn't what the plan saw, it is moved
// back (kFailed). If the place was taken in between, it stays where it is and the error names it.
// At each moment, a path holds the old or the new content.
//
// Remaining risks: after a kill between moving and checking, in the instant in which another
// process wrote, the next restore removes what it wrote. The same holds for a program that keeps
// the file open and writes later, and for a file system that can't exchange two files: there the
// check comes right before.

#ifndef BELAY_SNAPSHOT_RESTORE_FILES_H_
#define BELAY_SNAPSHOT_RESTORE_FILES_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/git/git.h"
#include "adapters/git/status.h"
#include "base/result.h"
#include "codec/hash.h"
#include "os/file_system.h"
#include "snapshot/restore_plan.h"
#include "snapshot/restore_present.h"
#include "snapshot/work_folder.h"

namespace belay {

struct StagedFile {
  std::string staged;  // where it was made
  std::string path;    // its target, relative to the root
};

class FileRestorer {
 public:
  // Everything is borrowed; `seen` is what the plan saw; removed files are in `staging` as long as
  // that exists.
  FileRestorer(FileSystem& files, const std::string& root, const InspectedPaths& seen,
               WorkFolder& staging)
      : files_(files), root_(root), seen_(seen), staging_(staging) {}

  // Whether the files and links that were seen are unchanged.
  Result<void> Check(const std::vector<std::string>& paths) const;
  Result<void> Remove(const std::vector<std::string>& paths);
  Result<void> MoveIn(const std::vector<StagedFile>& staged);
  Result<void> MakeFolders(const std::vector<std::string>& paths);
  // Removes folders that lost their last file by Remove.
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
  const InspectedPaths& seen_;
  WorkFolder& staging_;
};

// Made from git objects, with the permissions in `modes`.
Result<std::vector<StagedFile>> StageFiles(const Worktree& worktree, WorkFolder& staging,
                                           const std::vector<PlannedWrite>& writes,
                                           const std::map<std::string, std::uint32_t>& modes);

Error ChangedDuringRestore(std::string_view what);

// Writes files and links from git objects, byte by byte, without filters, in pieces whatever their
// size.

struct BlobToWrite {
  std::string path;                               // must not exist yet
  GitEntry entry;                                 // a file, a program or a link
  std::optional<std::uint32_t> permissions = {};  // nullopt: git's default, by the umask
};

// Not synced. A blob that is missing or doesn't match its id: kDamaged.
Result<void> WriteBlobs(const Git& git, FileSystem& files, const std::vector<BlobToWrite>& blobs);

// Reads the output of `git cat-file --batch` about `blobs`, in pieces of any size.
class BlobWriter {
 public:
  BlobWriter(FileSystem& files, const std::vector<BlobToWrite>& blobs)
      : files_(files), blobs_(blobs) {}

  Result<void> Add(std::string_view piece);
  Result<void> Finish() const;  // checks that all of them came

 private:
  enum class Part { kHead, kContent, kEnd };

  Result<void> AddPart(std::string_view& piece);
  Result<void> ReadHead();
  Result<void> AddContent(std::string_view bytes);
  Result<void> EndBlob();
  Error Damaged(std::string_view why) const;

  FileSystem& files_;
  const std::vector<BlobToWrite>& blobs_;
  std::size_t next_ = 0;
  Part part_ = Part::kHead;
  std::string head_;        // the part of the line received so far
  std::uint64_t left_ = 0;  // of the content
  std::optional<BlobHasher> hasher_;
  std::optional<File> file_;
  std::string target_;  // of a link
};

// Merges the present content with the snapshot's, from their common base, as git does it.

// Every file in conflict, merged and staged. Nullopt when one of them can't be merged cleanly;
// binary files never can.
Result<std::optional<std::vector<StagedFile>>> StageMerges(const Worktree& worktree,
                                                           WorkFolder& staging,
                                                           const RestorePlan& plan,
                                                           const Present& present);

}  // namespace belay

#endif  // BELAY_SNAPSHOT_RESTORE_FILES_H_
