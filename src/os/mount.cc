// The part of FileSystem that asks the machine about mounts.

#include "os/mount.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <linux/magic.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <vector>

#include "base/text.h"
#include "os/file_system.h"

namespace belay {
namespace {

Error CallError(std::string_view call, const std::string& path) {
  return SystemError(fmt::format("{} {}", call, path), errno);
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
    {FUSE_SUPER_MAGIC, "fuse", false},  // unless NameFuse knows more
    {0x0BD00BD0, "lustre", true},
    {0x19830326, "beegfs", true},
    {0x47504653, "gpfs", true},
    {0x20030528, "orangefs", true},
    {0x564C, "ncpfs", true},
    {0x786F4256, "vboxsf", true},
};

constexpr std::size_t kMostMountInfo = std::size_t{16} << 20U;

}  // namespace

Result<std::uint64_t> FileSystem::DeviceOf(const std::string& path) const {
  const int fd = calls_.Open(path, O_PATH, 0);
  if (fd < 0) return SystemError(fmt::format("open {}", path), -fd);
  BELAY_TRY_ASSIGN(const FileInfo info, File(calls_, fd, path).Inspect());
  return info.device;
}

// Not an error when it can't be read: FUSE is mostly local.
void FileSystem::NameFuse(const std::string& path, MountInfo& mount) const {
  const Result<std::string> mounts = Read("/proc/self/mountinfo", kMostMountInfo);
  const Result<std::uint64_t> device = DeviceOf(path);
  if (!mounts || !device) return;
  if (const std::optional<FuseMount> fuse = FindFuseMount(*mounts, *device)) {
    mount.type = fuse->type;
    mount.network = fuse->network;
  }
}

Result<MountInfo> FileSystem::InspectMount(const std::string& path) const {
  struct statfs info {};
  const int result = calls_.InspectMount(path, info);
  if (result < 0) return SystemError(fmt::format("statfs {}", path), -result);
  const auto magic = static_cast<std::uint32_t>(info.f_type);
  MountInfo mount{
      fmt::format("0x{:x}", magic), false, (info.f_flags & ST_RDONLY) != 0,
      static_cast<std::uint64_t>(info.f_bavail) * static_cast<std::uint64_t>(info.f_bsize)};
  for (const MountType& type : kMountTypes) {
    if (type.magic != magic) continue;
    mount.type = type.name;
    mount.network = type.network;
  }
  if (magic == FUSE_SUPER_MAGIC) NameFuse(path, mount);
  return mount;
}

Result<std::string> FileSystem::Resolve(const std::string& path) const {
  const std::unique_ptr<char, decltype(&std::free)> real(realpath(path.c_str(), nullptr),
                                                         &std::free);
  if (!real) return CallError("find", path);
  return std::string(real.get());
}

bool FileSystem::IsWritable(const std::string& path) const {
  return faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) == 0;
}

namespace {

// FUSE file systems whose data is elsewhere: other machines, object stores, and the host of a
// virtual machine, which local locks may not reach.
constexpr std::string_view kNetworkFuse[] = {
    "afpfs",       "alluxio-fuse", "blobfuse",      "blobfuse2", "ceph",       "ceph-fuse",
    "curlftpfs",   "cvmfs2",       "davfs",         "davfs2",    "fuse_dfs",   "gcsfuse",
    "geesefs",     "glusterfs",    "goofys",        "grpcfuse",  "gvfsd-fuse", "hdfs",
    "hubicfuse",   "ipfs",         "juicefs",       "lizardfs",  "mfs",        "mfsmount",
    "moosefs",     "mount-s3",     "mountpoint-s3", "osxfs",     "ossfs",      "rclone",
    "s3fs",        "s3ql",         "saunafs",       "seaweedfs", "smbnetfs",   "sshfs",
    "vmhgfs-fuse", "weed",         "xtreemfs",
};

bool IsFuse(std::string_view type) {
  return type == "fuse" || type == "fuseblk" || type == "virtiofs" || type.starts_with("fuse.") ||
         type.starts_with("fuseblk.");
}

// `source` is the mounted device: davfs2 has no type of its own, but shows its URL.
bool IsNetworkFuse(std::string_view type, std::string_view source) {
  if (type == "virtiofs" || source.find("://") != std::string_view::npos) return true;
  if (!type.starts_with("fuse.")) return false;
  const std::string_view name = type.substr(type.find('.') + 1);
  return std::find(std::begin(kNetworkFuse), std::end(kNetworkFuse), name) !=
         std::end(kNetworkFuse);
}

bool IsDevice(std::string_view text, std::uint64_t device) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return false;
  const auto major = ParseNumber<unsigned>(text.substr(0, colon));
  const auto minor = ParseNumber<unsigned>(text.substr(colon + 1));
  return major && minor && makedev(*major, *minor) == device;
}

// Parses a line of /proc/self/mountinfo, see proc(5). Paths have no spaces there (\040), so that
// fields can be counted; after the sixth follow any number of optional fields, up to a lone dash.
std::optional<FuseMount> FuseMountIn(std::string_view line, std::uint64_t device) {
  constexpr std::size_t kDevice = 2;
  constexpr std::ptrdiff_t kOptional = 6;
  const std::vector<std::string_view> fields = Split(line, ' ');
  if (fields.size() <= kOptional || !IsDevice(fields[kDevice], device)) return std::nullopt;
  const auto dash = std::find(fields.begin() + kOptional, fields.end(), "-");
  if (fields.end() - dash < 3 || !IsFuse(dash[1])) return std::nullopt;
  return FuseMount{std::string(dash[1]), IsNetworkFuse(dash[1], dash[2])};
}

}  // namespace

std::optional<FuseMount> FindFuseMount(std::string_view mountinfo, std::uint64_t device) {
  for (const std::string_view line : Split(mountinfo, '\n')) {
    if (std::optional<FuseMount> found = FuseMountIn(line, device)) return found;
  }
  return std::nullopt;
}

}  // namespace belay
