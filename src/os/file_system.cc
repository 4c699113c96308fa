#include "os/file_system.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <linux/magic.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>

#include <cerrno>
#include <cstdlib>
#include <memory>

#include "base/path.h"
#include "os/io.h"
#include "os/unique_fd.h"

namespace belay {
namespace {

constexpr std::uint32_t kPermissionBits = 07777;

Error CallError(std::string_view call, const std::string& path) {
  return SystemError(fmt::format("{} {}", call, path), errno);
}

FileKind KindOf(mode_t mode) {
  if (S_ISREG(mode)) return FileKind::kFile;
  if (S_ISDIR(mode)) return FileKind::kFolder;
  if (S_ISLNK(mode)) return FileKind::kLink;
  return FileKind::kOther;
}

struct MountType {
  std::uint32_t magic;
  std::string_view name;
  bool network;
};
// Not all of these magic numbers are in linux/magic.h.
constexpr MountType kMountTypes[] = {
    {EXT4_SUPER_MAGIC, "ext4", false},
    {TMPFS_MAGIC, "tmpfs", false},
    {BTRFS_SUPER_MAGIC, "btrfs", false},
    {XFS_SUPER_MAGIC, "xfs", false},
    {OVERLAYFS_SUPER_MAGIC, "overlay", false},
    {F2FS_SUPER_MAGIC, "f2fs", false},
    {0x2FC12FC1, "zfs", false},
    {0xCA451A4E, "bcachefs", false},
    {NFS_SUPER_MAGIC, "nfs", true},
    {SMB_SUPER_MAGIC, "smb", true},
    {0xFF534D42, "cifs", true},
    {0xFE534D42, "smb2", true},
    {V9FS_MAGIC, "9p", true},
    {AFS_SUPER_MAGIC, "afs", true},
    {CODA_SUPER_MAGIC, "coda", true},
    {0x00C36400, "ceph", true},
    {0x65735546, "fuse", false},
    {0x0BD00BD0, "lustre", true},
};

struct CloseFolder {
  void operator()(DIR* folder) const { (void)closedir(folder); }
};

// The type of a descriptor's file decides; a FIFO must not block the open, hence O_NONBLOCK.
Result<UniqueFd> OpenRegular(const std::string& path) {
  UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!fd && errno == ELOOP) {
    return Error{ErrorCode::kRefused, fmt::format("open {}: it is a link", path)};
  }
  if (!fd) return CallError("open", path);
  struct stat info {};
  if (fstat(fd.get(), &info) != 0) return CallError("stat", path);
  if (!S_ISREG(info.st_mode)) {
    return Error{ErrorCode::kRefused, fmt::format("read {}: it is not a regular file", path)};
  }
  return fd;
}

std::string TemporaryName(const std::string& path) {
  std::uint64_t random = 0;
  // Can't fail for so few bytes once the machine has started.
  (void)getrandom(&random, sizeof(random), 0);
  return JoinPath(ParentPath(path), fmt::format(".{}.{:016x}.tmp", FileName(path), random));
}

Result<void> WriteSynced(const UniqueFd& fd, const std::string& path, std::string_view bytes,
                         std::uint32_t mode) {
  if (fchmod(fd.get(), mode) != 0) return CallError("chmod", path);
  if (const int error = WriteAll(fd.get(), bytes); error != 0) {
    return SystemError(fmt::format("write {}", path), error);
  }
  if (fsync(fd.get()) != 0) return CallError("fsync", path);
  return {};
}

}  // namespace

Result<FileInfo> PosixFileSystem::Inspect(const std::string& path) const {
  struct stat info {};
  if (lstat(path.c_str(), &info) != 0) return CallError("stat", path);
  return FileInfo{KindOf(info.st_mode), info.st_mode & kPermissionBits, info.st_uid,
                  info.st_uid == geteuid(), static_cast<std::uint64_t>(info.st_size)};
}

Result<MountInfo> PosixFileSystem::InspectMount(const std::string& path) const {
  struct statfs info {};
  if (statfs(path.c_str(), &info) != 0) return CallError("statfs", path);
  const auto magic = static_cast<std::uint32_t>(info.f_type);
  MountInfo mount{
      fmt::format("0x{:x}", magic), false, (info.f_flags & ST_RDONLY) != 0,
      static_cast<std::uint64_t>(info.f_bavail) * static_cast<std::uint64_t>(info.f_bsize)};
  for (const MountType& type : kMountTypes) {
    if (type.magic != magic) continue;
    mount.type = type.name;
    mount.network = type.network;
  }
  return mount;
}

Result<std::string> PosixFileSystem::Resolve(const std::string& path) const {
  const std::unique_ptr<char, decltype(&std::free)> real(realpath(path.c_str(), nullptr),
                                                         &std::free);
  if (!real) return CallError("find", path);
  return std::string(real.get());
}

Result<std::string> PosixFileSystem::Read(const std::string& path, std::size_t limit) const {
  BELAY_TRY_ASSIGN(const UniqueFd fd, OpenRegular(path));
  std::string bytes;
  if (const int error = ReadToEnd(fd.get(), limit, bytes); error != 0) {
    return SystemError(fmt::format("read {}", path), error);
  }
  if (bytes.size() > limit) {
    return Error{ErrorCode::kDamaged, fmt::format("read {}: larger than {} bytes", path, limit)};
  }
  return bytes;
}

bool PosixFileSystem::IsWritable(const std::string& path) const {
  return faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) == 0;
}

Result<std::vector<std::string>> PosixFileSystem::List(const std::string& path) const {
  const std::unique_ptr<DIR, CloseFolder> folder(opendir(path.c_str()));
  if (!folder) return CallError("open", path);
  std::vector<std::string> names;
  errno = 0;
  while (const dirent* entry = readdir(folder.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  if (errno != 0) return CallError("read", path);
  return names;
}

Result<void> PosixFileSystem::CreateFolder(const std::string& path, std::uint32_t mode) {
  if (mkdir(path.c_str(), mode) != 0) return CallError("mkdir", path);
  // A folder that its owner can't use helps nobody, whatever the umask.
  struct stat info {};
  if (lstat(path.c_str(), &info) != 0) return CallError("stat", path);
  const mode_t usable = (info.st_mode | 0700U) & kPermissionBits;
  if ((info.st_mode & 0700U) != 0700U && chmod(path.c_str(), usable) != 0) {
    return CallError("chmod", path);
  }
  return {};
}

Result<std::string> PosixFileSystem::CreateTemporary(const std::string& path,
                                                     std::string_view bytes, std::uint32_t mode) {
  std::string temporary = TemporaryName(path);
  const UniqueFd fd(open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!fd) return CallError("create", temporary);
  if (Result<void> written = WriteSynced(fd, temporary, bytes, mode); !written) {
    (void)unlink(temporary.c_str());
    return std::move(written).error();
  }
  return temporary;
}

Result<void> PosixFileSystem::Rename(const std::string& from, const std::string& to) {
  if (rename(from.c_str(), to.c_str()) != 0) return CallError("rename", to);
  return {};
}

Result<void> PosixFileSystem::SyncFolder(const std::string& path) {
  const UniqueFd fd(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd) return CallError("open", path);
  if (fsync(fd.get()) != 0) return CallError("fsync", path);
  return {};
}

Result<void> PosixFileSystem::RemoveFile(const std::string& path) {
  if (unlink(path.c_str()) != 0) return CallError("unlink", path);
  return {};
}

Result<void> PosixFileSystem::RemoveEmptyFolder(const std::string& path) {
  if (rmdir(path.c_str()) != 0) return CallError("rmdir", path);
  return {};
}

}  // namespace belay
