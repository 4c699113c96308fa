// The door to the disk. Everything that reads or writes a file takes a FileSystem by reference, so
// that tests decide what it does.
//
// Folders are made 0700 and files 0600 unless said otherwise, whatever the umask. The last part of
// a path is never followed when it is a link, except by Resolve. Errors are SystemErrors that name
// the call and the path.

#ifndef BELAY_OS_FILE_SYSTEM_H_
#define BELAY_OS_FILE_SYSTEM_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace belay {

enum class FileKind { kFile, kFolder, kLink, kOther };

struct FileInfo {
  FileKind kind;
  std::uint32_t mode;   // permission bits only
  std::uint32_t owner;  // user id
  bool ours;            // owned by the user we run as
  std::uint64_t bytes;
};

struct MountInfo {
  std::string type;  // "ext4", "nfs", ...; a hexadecimal number when unknown
  bool network;      // shared by machines: local locks don't hold there
  bool read_only;
  std::uint64_t free_bytes;  // for this user
};

class FileSystem {
 public:
  virtual ~FileSystem() = default;

  virtual Result<FileInfo> Inspect(const std::string& path) const = 0;
  virtual Result<MountInfo> InspectMount(const std::string& path) const = 0;
  // Absolute, without links and dots; the path must exist.
  virtual Result<std::string> Resolve(const std::string& path) const = 0;
  // The whole of a regular file. More than `limit` bytes: kDamaged. Not a regular file: kRefused.
  virtual Result<std::string> Read(const std::string& path, std::size_t limit) const = 0;
  virtual bool IsWritable(const std::string& path) const = 0;
  // The names in a folder, in no order.
  virtual Result<std::vector<std::string>> List(const std::string& path) const = 0;

  // Fails when there is one already. The umask may take bits away from `mode`, but
  // none of the owner's.
  virtual Result<void> CreateFolder(const std::string& path, std::uint32_t mode) = 0;
  // A new file beside `path`, with a name of its own that starts with a dot, holding `bytes`,
  // synced to the disk. Gives its path back; leaves nothing behind when it fails.
  virtual Result<std::string> CreateTemporary(const std::string& path, std::string_view bytes,
                                              std::uint32_t mode) = 0;
  virtual Result<void> Rename(const std::string& from, const std::string& to) = 0;
  virtual Result<void> SyncFolder(const std::string& path) = 0;
  virtual Result<void> RemoveFile(const std::string& path) = 0;
  virtual Result<void> RemoveEmptyFolder(const std::string& path) = 0;
};

// The kernel's.
class PosixFileSystem final : public FileSystem {
 public:
  Result<FileInfo> Inspect(const std::string& path) const override;
  Result<MountInfo> InspectMount(const std::string& path) const override;
  Result<std::string> Resolve(const std::string& path) const override;
  Result<std::string> Read(const std::string& path, std::size_t limit) const override;
  bool IsWritable(const std::string& path) const override;
  Result<std::vector<std::string>> List(const std::string& path) const override;
  Result<void> CreateFolder(const std::string& path, std::uint32_t mode) override;
  Result<std::string> CreateTemporary(const std::string& path, std::string_view bytes,
                                      std::uint32_t mode) override;
  Result<void> Rename(const std::string& from, const std::string& to) override;
  Result<void> SyncFolder(const std::string& path) override;
  Result<void> RemoveFile(const std::string& path) override;
  Result<void> RemoveEmptyFolder(const std::string& path) override;
};

}  // namespace belay

#endif  // BELAY_OS_FILE_SYSTEM_H_
