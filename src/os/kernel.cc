#include "os/kernel.h"

#include <linux/seccomp.h>
#include <sched.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "os/fd.h"

namespace belay {
namespace {

// linux/pidfd.h and linux/landlock.h of Debian 12 are older than these.
struct ProbedInfo {
  std::uint64_t mask;
  std::uint64_t rest[7];
};
constexpr unsigned long kProbeGetInfo = _IOWR(0xFF, 11, ProbedInfo);
constexpr std::uint64_t kProbeInfoExit = 1U << 3U;
constexpr unsigned kLandlockCreateRulesetVersion = 1;

UniqueFd ProbePidfd(pid_t pid) {
  return UniqueFd(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
}

int Reap(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

// Having the call is not enough: only since 6.15 does it report the exit status of a reaped
// process. So start a child, reap it, and ask.
bool HasPidfdExit() {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  if (child < 0) return false;
  const UniqueFd process = ProbePidfd(child);
  (void)Reap(child);
  ProbedInfo info{kProbeInfoExit, {}};
  const bool answered = process && ioctl(process.get(), kProbeGetInfo, &info) == 0;
  return answered && (info.mask & kProbeInfoExit) != 0;
}

bool HasSubreaper() {
  int value = 0;
  return prctl(PR_GET_CHILD_SUBREAPER, &value) == 0;
}

bool HasInotify() { return static_cast<bool>(UniqueFd(inotify_init1(IN_CLOEXEC))); }

bool HasSeccomp() {
  const std::uint32_t action = SECCOMP_RET_ERRNO;
  return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

// Only an attempt shows it, and an attempt changes the process: so a child tries, and does nothing
// else.
bool HasUserNamespaces() {
  const pid_t child = fork();
  if (child == 0) _exit(unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0 ? 0 : 1);
  if (child < 0) return false;
  const int status = Reap(child);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

std::optional<int> LandlockAbi() {
  const long version =
      syscall(SYS_landlock_create_ruleset, nullptr, 0, kLandlockCreateRulesetVersion);
  if (version < 0) return std::nullopt;
  return static_cast<int>(version);
}

}  // namespace

KernelFeatures ProbeKernel() {
  KernelFeatures abilities;
  utsname name{};
  if (uname(&name) == 0) abilities.release = name.release;
  abilities.pidfd = static_cast<bool>(ProbePidfd(getpid()));
  abilities.pidfd_info = HasPidfdExit();
  abilities.subreaper = HasSubreaper();
  abilities.inotify = HasInotify();
  abilities.seccomp = HasSeccomp();
  abilities.user_namespaces = HasUserNamespaces();
  abilities.landlock_abi = LandlockAbi();
  return abilities;
}

}  // namespace belay
