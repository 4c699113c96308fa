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
#include "codec/blob_hash.h"
#include "os/file_system.h"

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

}  // namespace belay

#endif  // BELAY_SNAPSHOT_RESTORE_BLOBS_H_
