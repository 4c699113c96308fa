// Which process, for good. A pid alone is used again after a while, and after every boot; together
// with the moment the process started and the boot it lived in, it names one process only. These
// values can be written down and compared by another process later; they keep nothing alive.

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

// Of the process that has this pid now; a zombie still has it. kNotFound when there is none.
Result<ProcessIdentity> IdentityOf(pid_t pid);

// Whether that very process runs. One with the same pid that started at another time or in another
// boot is not it, and a zombie doesn't run. One that we may not look at counts as alive.
bool IsAlive(const ProcessIdentity& identity);

// 0 for a process without one. kNotFound when there is no such process.
Result<pid_t> ParentOf(pid_t pid);

// Another one after every start of the machine.
Result<std::string> BootId();

}  // namespace belay

#endif  // BELAY_OS_PROCESS_IDENTITY_H_
