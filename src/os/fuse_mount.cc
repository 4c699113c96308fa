#include "os/fuse_mount.h"

#include <sys/sysmacros.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <vector>

#include "base/split.h"

namespace belay {
namespace {

// What FUSE serves from elsewhere: other machines, stores of objects, and the host of a virtual
// machine, which locks here may not reach.
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

// `source` is what was mounted: davfs2 has no name of its own, but shows its URL.
bool IsNetworkFuse(std::string_view type, std::string_view source) {
  if (type == "virtiofs" || source.find("://") != std::string_view::npos) return true;
  if (!type.starts_with("fuse.")) return false;
  const std::string_view name = type.substr(type.find('.') + 1);
  return std::find(std::begin(kNetworkFuse), std::end(kNetworkFuse), name) !=
         std::end(kNetworkFuse);
}

template <class T>
bool ReadNumber(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

bool IsDevice(std::string_view text, std::uint64_t device) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return false;
  unsigned major = 0;
  unsigned minor = 0;
  return ReadNumber(text.substr(0, colon), major) && ReadNumber(text.substr(colon + 1), minor) &&
         makedev(major, minor) == device;
}

// Of a line of /proc/self/mountinfo, as proc(5) has it. Paths have no spaces there (\040), so that
// fields can be counted; of those behind the sixth there may be any number up to a lone dash.
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
