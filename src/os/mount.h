// What /proc/self/mountinfo adds to statfs: which file system FUSE serves.

#ifndef BELAY_OS_MOUNT_H_
#define BELAY_OS_MOUNT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace belay {

struct FuseMount {
  std::string type;  // "fuse", "fuseblk", "virtiofs", "fuse.sshfs", ...
  bool network;      // another machine, or the host of this one, sees the same files

  bool operator==(const FuseMount&) const = default;
};

// The FUSE mount of a device (numbered as in stat) in the text of /proc/self/mountinfo. Nothing
// when the device isn't listed or isn't FUSE. Malformed lines are skipped. An unknown FUSE type
// counts as local.
std::optional<FuseMount> FindFuseMount(std::string_view mountinfo, std::uint64_t device);

}  // namespace belay

#endif  // BELAY_OS_MOUNT_H_
