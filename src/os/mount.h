// What /proc/self/mountinfo tells beyond statfs: whose file system it is that FUSE serves.

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

// The FUSE mount of a device, as stat numbers them, in the text of /proc/self/mountinfo. Nothing
// when the device isn't there or is of another kind. Lines that can't be understood are passed
// over. FUSE that nobody knows counts as local.
std::optional<FuseMount> FindFuseMount(std::string_view mountinfo, std::uint64_t device);

}  // namespace belay

#endif  // BELAY_OS_MOUNT_H_
