#include "os/process_identity.h"

#include <fcntl.h>

#include <cerrno>
#include <csignal>

#include "os/fd.h"
#include "os/proc_stat.h"

namespace belay {
namespace {

constexpr const char* kBootIdPath = "/proc/sys/kernel/random/boot_id";
constexpr std::size_t kBootIdLength = 36;  // of a UUID

bool Exists(pid_t pid) { return kill(pid, 0) == 0 || errno == EPERM; }

}  // namespace

Result<ProcessIdentity> IdentityOf(pid_t pid) {
  BELAY_TRY_ASSIGN(const ProcStat stat, ReadProcStat(pid));
  BELAY_TRY_ASSIGN(std::string boot_id, BootId());
  return ProcessIdentity{pid, stat.start_time, std::move(boot_id)};
}

bool IsAlive(const ProcessIdentity& identity) {
  // To kill(2), such a pid would mean a group.
  if (identity.pid <= 0) return false;
  const Result<std::string> boot_id = BootId();
  if (boot_id && *boot_id != identity.boot_id) return false;
  const Result<ProcStat> stat = ReadProcStat(identity.pid);
  if (!stat) return Exists(identity.pid);
  return stat->start_time == identity.start_time && !stat->ended();
}

Result<pid_t> ParentOf(pid_t pid) {
  BELAY_TRY_ASSIGN(const ProcStat stat, ReadProcStat(pid));
  return stat.parent;
}

Result<std::string> BootId() {
  const std::string what = std::string("read ") + kBootIdPath;
  const UniqueFd file(open(kBootIdPath, O_RDONLY | O_CLOEXEC));
  std::string text;
  const int error = file ? ReadToEnd(file.get(), kBootIdLength, text) : errno;
  if (error != 0) return SystemError(what, error);
  if (text.size() < kBootIdLength) return Error{ErrorCode::kDamaged, what + ": it is too short"};
  text.resize(kBootIdLength);
  return text;
}

}  // namespace belay
