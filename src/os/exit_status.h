// How a process ended, as a value.

#ifndef BELAY_OS_EXIT_STATUS_H_
#define BELAY_OS_EXIT_STATUS_H_

#include <string>

namespace belay {

struct ExitStatus {
  enum class How {
    kExited,   // by itself; `value` is its exit code
    kKilled,   // by the signal `value`
    kUnknown,  // it is gone, and only its parent got the status
  };

  How how = How::kUnknown;
  int value = 0;
  bool core_dumped = false;

  static ExitStatus Exited(int code) { return {How::kExited, code, false}; }
  static ExitStatus Killed(int signal, bool core = false) { return {How::kKilled, signal, core}; }
  static ExitStatus Unknown() { return {}; }
  // From the status word of wait(2), as the kernel encodes it.
  static ExitStatus FromWaitStatus(int status);

  // As in shells: 128 plus the number of the signal that killed it.
  int code() const { return how == How::kKilled ? 128 + value : value; }
  bool clean() const { return how == How::kExited && value == 0; }
  // "exit code 3", "killed by SIGKILL", "killed by SIGSEGV (core dumped)", "ended in an unknown
  // way".
  std::string text() const;

  bool operator==(const ExitStatus&) const = default;
};

}  // namespace belay

#endif  // BELAY_OS_EXIT_STATUS_H_
