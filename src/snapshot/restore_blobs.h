// Writes files and links from git objects, byte by byte, without filters, in pieces whatever their
// size.

#ifndef BELAY_SNAPSHOT_RESTORE_BLOBS_H_
#define BELAY_SNAPSHOT_RESTORE_BLOBS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/git/git.h"
#include "adapters/git/status.h"
#include "base/result.h"
#include "codec/hash.h"
#include "os/file_system.h"
#include "snapshot/restore_files.h"
#include "snapshot/restore_plan.h"
#include "snapshot/restore_present.h"
#include "snapshot/work_folder.h"

namespace belay {

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

#endif  // BELAY_SNAPSHOT_RESTORE_BLOBS_H_
