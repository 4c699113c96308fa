// The fields of /proc/PID/stat.

#ifndef BELAY_OS_PROC_STAT_H_
#define BELAY_OS_PROC_STAT_H_

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace belay {

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

#endif  // BELAY_OS_PROC_STAT_H_
