// Identifies a process for good. A pid is reused after a while, and after every boot; together with
// the start time and the boot id, it names exactly one process. These values can be stored and
// compared later by another process; they keep nothing alive.

#ifndef BELAY_OS_PROCESS_IDENTITY_H_
#define BELAY_OS_PROCESS_IDENTITY_H_

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

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

// Whether exactly that process runs. A process with the same pid but another start time, boot or
// pid namespace is a different one; a zombie doesn't run. A process that we may not inspect counts
// as alive.
bool IsAlive(const ProcessIdentity& identity);

// 0 for a process without one. kNotFound when there is no such process.
Result<pid_t> ParentOf(pid_t pid);

// Where a pid names a process: changes with every boot of the machine, and with the pid namespace.
// The kernel's boot id; in a container or another pid namespace that isn't the machine's first one,
// with that namespace: "7b1d.../pid:[4026532177]". kRefused when /proc shows another namespace than
// the one we are in, since its pids name other processes.
Result<std::string> BootId();

// Whether a process recorded with this boot id can't be seen from here: it is of this boot, but of
// another pid namespace. `ours` is the result of BootId.
bool IsOfAnotherNamespace(std::string_view boot_id, const Result<std::string>& ours);

// The fields of /proc/PID/stat.

struct ProcStat {
  char state;                   // 'R', 'S', ...; 'Z' for a zombie
  pid_t parent;                 // 0 for init
  int terminal;                 // device number of the controlling terminal; 0 for none
  int threads;                  // a zombie with more than one still runs in the others
  std::uint64_t start_time;     // in clock ticks since boot: with the pid, it identifies a process
  int wait_status;              // of a zombie that we may trace; else 0
  std::uint64_t cpu_ticks = 0;  // used by it and its reaped children

  bool ended() const { return (state == 'Z' || state == 'X') && threads <= 1; }
};

// kNotFound when there is no such process, or when it is hidden from us.
Result<ProcStat> ReadProcStat(pid_t pid);

// The second field is the program's name, which may hold spaces, parentheses and line ends: it goes
// up to the last closing parenthesis. Text that was cut short is kDamaged.
Result<ProcStat> ParseProcStat(std::string_view text);

// Files of /proc/PID, as text.

// /proc/PID/NAME, at most `most` bytes. Empty when the process is gone, or when we may not read
// it.
std::string ReadProcFile(pid_t pid, std::string_view name, std::size_t most);

}  // namespace belay

#endif  // BELAY_OS_PROCESS_IDENTITY_H_
