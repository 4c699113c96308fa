// What a process can ask or set about itself.

#ifndef BELAY_OS_THIS_PROCESS_H_
#define BELAY_OS_THIS_PROCESS_H_

#include <sys/resource.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "os/file_system.h"

namespace belay {

// Our pid.
std::int64_t ThisProcess();
// The effective user.
std::uint32_t ThisUser();

// Forks into the background: true in the new process, which has its own session and null standard
// descriptors and which no process waits for; false in the original, also when the fork failed.
bool ForkIntoBackground();

// The umask. Read from /proc, because the system call can only report it by changing it, for all
// threads; 022 if /proc doesn't show it.
std::uint32_t FileCreationMask(const FileSystem& files);

// Absolute; "." when it has been removed, which every use of it will report.
std::string CurrentFolder();

// How many descriptors this process may have open (RLIMIT_NOFILE). The usual limit of 1024 is there
// for programs that use select(2); a process that watches many others needs more.

// Raises it as far as the kernel allows. Programs that we start get the original limit
// (os/process.h): some close that many descriptors.
void RaiseFileLimit();

// While it lives, the limit is the one before RaiseFileLimit. Open descriptors stay open.
class OriginalFileLimit {
 public:
  OriginalFileLimit();
  OriginalFileLimit(const OriginalFileLimit&) = delete;
  OriginalFileLimit& operator=(const OriginalFileLimit&) = delete;
  ~OriginalFileLimit();

 private:
  std::optional<rlimit> raised_;
};

// Keeps long-running, mostly idle processes small.

// Returns unused memory to the kernel: freed blocks, and the unused end of the stack.
void ReturnFreeMemory();

// How many processes the kernel killed for lack of memory: in our control group, else on the whole
// machine. Only differences are meaningful.

// 0 when the kernel doesn't report it.
std::uint64_t OomKills(const FileSystem& files);

// The number after "oom_kill " at the beginning of a line; 0 when there is none.
std::uint64_t ParseOomKills(std::string_view text);

}  // namespace belay

#endif  // BELAY_OS_THIS_PROCESS_H_
