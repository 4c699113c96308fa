// File access for the layers above, over the system calls of FileCalls. Interrupted calls and short
// counts are handled here; everything else becomes an error that names the call, the path and the
// reason.
//
// A link as the last part of a path is never followed, unless the path ends with a slash, except by
// Resolve, InspectMount and IsWritable.

#ifndef BELAY_OS_FILE_SYSTEM_H_
#define BELAY_OS_FILE_SYSTEM_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "os/file_calls.h"

namespace belay {

enum class FileKind { kFile, kFolder, kLink, kOther };

struct FileInfo {
  FileKind kind;
  std::uint32_t mode;   // permission bits only
  std::uint32_t owner;  // user id
  bool ours;            // owned by the user we run as
  std::uint64_t bytes;
  std::uint64_t device;  // with `inode`: identifies the file whatever its name
  std::uint64_t inode;
  std::int64_t modified;  // nanoseconds since 1970: of the content, and of the inode
  std::int64_t changed;

  bool IsExecutable() const { return (mode & 0100U) != 0; }  // as git sees it
};

struct MountInfo {
  std::string type;  // "ext4", "nfs", "fuse.sshfs", ...; a hexadecimal number when unknown
  bool network;      // shared by machines: local locks don't hold there. An unknown FUSE,
                     // or one that /proc doesn't describe, counts as local
  bool read_only;
  std::uint64_t free_bytes;  // for this user
};

// An open file; closes itself. The FileCalls it came from must outlive it.
class File {
 public:
  File(FileCalls& calls, int fd, std::string path)
      : calls_(&calls), fd_(fd), path_(std::move(path)) {}
  File(File&& other) noexcept;
  File& operator=(File&& other) noexcept;
  ~File();

  const std::string& path() const { return path_; }

  Result<FileInfo> Inspect() const;
  // Up to `count` bytes from `offset` on; fewer only at the end of the file.
  Result<std::size_t> ReadAt(std::uint64_t offset, char* buffer, std::size_t count) const;
  // Writes all of them, at the end of the file if it was opened for appending. On failure, a part
  // of them may have been written.
  Result<void> Write(std::string_view bytes);
  Result<void> Truncate(std::uint64_t size);
  Result<void> SetMode(std::uint32_t mode);
  Result<void> Sync();      // content, length and metadata
  Result<void> SyncData();  // content and length

  // flock's operations. kBusy when another process holds it and the call doesn't wait or was
  // interrupted by a signal.
  Result<void> Lock(int operation);
  Result<void> TryLock();  // exclusively, without waiting

  // Whether a process is known to have the file open for writing. For a file that was opened for
  // reading; some file systems, and files of other users, don't show it.
  bool IsBeingWritten() const;

 private:
  FileCalls* calls_;
  int fd_;
  std::string path_;
};

class FileSystem {
 public:
  explicit FileSystem(FileCalls& calls) : calls_(calls) {}

  Result<FileInfo> Inspect(const std::string& path) const;
  // The whole of a regular file. More than `limit` bytes: kDamaged. Not a regular file: kRefused.
  Result<std::string> Read(const std::string& path, std::size_t limit) const;
  // The names in a folder, sorted. A link: kRefused.
  Result<std::vector<std::string>> List(const std::string& path) const;

  // An existing regular file, for reading; for reading and appending. Not a regular file: kRefused.
  Result<File> OpenForReading(const std::string& path) const;
  Result<File> OpenForAppending(const std::string& path);
  // A regular file for reading, and writing from its beginning on; created if missing. The umask
  // may clear bits of `mode`, but none of the owner's.
  Result<File> OpenForWriting(const std::string& path, std::uint32_t mode);

  // Fails when it already exists. The umask may clear bits of `mode`, but none of the owner's.
  Result<void> CreateFolder(const std::string& path, std::uint32_t mode);
  // Creates a folder named `start` plus 16 hexadecimal digits. Returns its path.
  Result<std::string> CreateUniqueFolder(const std::string& start, std::uint32_t mode);
  // Creates a file beside `path`, with a unique name that IsTemporaryName recognises, holding
  // `bytes`, synced to the disk. Returns its path. On failure, the error names `path`, and no file
  // is left behind.
  Result<std::string> CreateTemporary(const std::string& path, std::string_view bytes,
                                      std::uint32_t mode);
  Result<void> Rename(const std::string& from, const std::string& to);
  // Replaces nothing: kRefused when `to` exists.
  Result<void> RenameNew(const std::string& from, const std::string& to);
  // Swaps the two, whatever they are. Not every file system can do that.
  Result<void> RenameSwap(const std::string& one, const std::string& other);
  Result<std::string> ReadLink(const std::string& path) const;
  Result<void> MakeLink(const std::string& target, const std::string& path);
  Result<void> SyncFolder(const std::string& path);  // a link: kRefused
  // Syncs the whole file system that holds the folder, other processes' writes included. May take
  // long.
  Result<void> SyncDisk(const std::string& folder);
  Result<void> RemoveFile(const std::string& path);
  Result<void> RemoveEmptyFolder(const std::string& path);
  // Removes a file, a link, or a folder with everything in it; links in it aren't followed. Not an
  // error when something is missing or vanishes during the removal.
  Result<void> RemoveTree(const std::string& path);

  Result<MountInfo> InspectMount(const std::string& path) const;

  // These ask the machine itself; a simulated disk doesn't answer them.
  Result<std::string> Resolve(const std::string& path) const;  // absolute, without links and dots
  bool IsWritable(const std::string& path) const;

 private:
  int OpenFile(const std::string& path, int flags, std::uint32_t mode) const;
  Result<File> Regular(const std::string& path, int fd) const;
  Error FolderError(std::string_view call, const std::string& path, int result) const;
  Result<std::uint64_t> DeviceOf(const std::string& path) const;
  void NameFuse(const std::string& path, MountInfo& mount) const;

  FileCalls& calls_;
};

// Whether CreateTemporary made it: ".NAME.<16 hex digits>.tmp".
bool IsTemporaryName(std::string_view name);

// Sets a file's modification time, for a copy that must count as its original.

// Nanoseconds since 1970, as FileInfo::modified. A link isn't followed.
Result<void> SetModifiedTime(const std::string& path, std::int64_t modified);

}  // namespace belay

#endif  // BELAY_OS_FILE_SYSTEM_H_
