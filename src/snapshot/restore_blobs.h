// Files and links made from the objects of git, byte by byte, without filters. However large they
// are, they pass through in pieces.

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
  std::string path;                               // nothing is there yet
  GitEntry entry;                                 // a file, a program or a link
  std::optional<std::uint32_t> permissions = {};  // nothing: as git would, by the umask
};

// Not synced. A blob that is missing or has other bytes than its id says: kDamaged.
Result<void> WriteBlobs(const Git& git, FileSystem& files, const std::vector<BlobToWrite>& blobs);

// Reads what `git cat-file --batch` prints about `blobs`, in pieces of any size.
class BlobWriter {
 public:
  BlobWriter(FileSystem& files, const std::vector<BlobToWrite>& blobs)
      : files_(files), blobs_(blobs) {}

  Result<void> Add(std::string_view piece);
  Result<void> Finish() const;  // all of them came

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
  std::string head_;        // as much of the line as came
  std::uint64_t left_ = 0;  // of the content
  std::optional<BlobHasher> hasher_;
  std::optional<File> file_;
  std::string target_;  // of a link
};

// Merging what is there now with what a snapshot has, from the base of both, as git does it.

// Every file that is in conflict, merged and staged. Nothing when one of them can't be merged
// cleanly; binary files never can.
Result<std::optional<std::vector<StagedFile>>> StageMerges(const Worktree& worktree,
                                                           WorkFolder& staging,
                                                           const RestorePlan& plan,
                                                           const Present& present);

}  // namespace belay

#endif  // BELAY_SNAPSHOT_RESTORE_BLOBS_H_
