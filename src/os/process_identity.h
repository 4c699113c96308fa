// Identifies a process for good. A pid is reused after a while, and after every boot; together with
// the start time and the boot id, it names exactly one process. These values can be stored and
// compared later by another process; they keep nothing alive.

#ifndef BELAY_OS_PROCESS_IDENTITY_H_
#define BELAY_OS_PROCESS_IDENTITY_H_

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "base/result.h"

namespace belay {

struct ProcessIdentity {
  pid_t pid;
  std::uint64_t start_time;  // in clock ticks since boot
  std::string boot_id;

  bool operator==(const ProcessIdentity&) const = default;
};

// The identity of the process that has this pid now; a zombie still has it. kNotFound when there is
// none.
Result<ProcessIdentity> IdentityOf(pid_t pid);

// Whether exactly that process runs. A process with the same pid but another start time or boot is
// a different one; a zombie doesn't run. A process that we may not inspect counts as alive.
bool IsAlive(const ProcessIdentity& identity);

// 0 for a process without one. kNotFound when there is no such process.
Result<pid_t> ParentOf(pid_t pid);

// Changes with every boot of the machine.
Result<std::string> BootId();

}  // namespace belay

#endif  // BELAY_OS_PROCESS_IDENTITY_H_
