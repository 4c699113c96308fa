#include "testing/private_network.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "os/fd.h"

namespace belay {
namespace {

Result<void> WriteProcFile(const char* path, const std::string& text) {
  const UniqueFd file(open(path, O_WRONLY | O_CLOEXEC));
  if (!file) return SystemError(path, errno);
  const int error = WriteAll(file.get(), text);
  if (error != 0) return SystemError(path, error);
  return {};
}

// Every user in the new namespace has the same id as outside.
Result<void> KeepUser(uid_t user, gid_t group) {
  BELAY_TRY(WriteProcFile("/proc/self/setgroups", "deny"));
  BELAY_TRY(WriteProcFile("/proc/self/uid_map", fmt::format("{0} {0} 1", user)));
  return WriteProcFile("/proc/self/gid_map", fmt::format("{0} {0} 1", group));
}

Result<void> RaiseLoopback() {
  const UniqueFd any(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq request{};
  std::memcpy(request.ifr_name, "lo", 3);
  if (!any || ioctl(any.get(), SIOCGIFFLAGS, &request) != 0) {
    return SystemError("ask for loopback", errno);
  }
  request.ifr_flags = static_cast<short>(request.ifr_flags | IFF_UP);
  if (ioctl(any.get(), SIOCSIFFLAGS, &request) != 0) return SystemError("raise loopback", errno);
  return {};
}

}  // namespace

Result<void> EnterPrivateNetwork() {
  const uid_t user = getuid();
  const gid_t group = getgid();
  if (unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) return SystemError("unshare", errno);
  BELAY_TRY(KeepUser(user, group));
  return RaiseLoopback();
}

}  // namespace belay
