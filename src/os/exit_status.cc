#include "os/exit_status.h"

#include <fmt/core.h>
#include <sys/wait.h>

#include <cstring>

namespace belay {
namespace {

std::string SignalName(int signal) {
  const char* name = sigabbrev_np(signal);
  return name == nullptr ? fmt::format("signal {}", signal) : fmt::format("SIG{}", name);
}

}  // namespace

ExitStatus ExitStatus::FromWaitStatus(int status) {
  if (WIFSIGNALED(status)) return Killed(WTERMSIG(status), WCOREDUMP(status));
  return Exited(WEXITSTATUS(status));
}

std::string ExitStatus::text() const {
  switch (how) {
    case How::kExited:
      return fmt::format("exit code {}", value);
    case How::kKilled:
      return fmt::format("killed by {}{}", SignalName(value), core_dumped ? " (core dumped)" : "");
    case How::kUnknown:
      return "ended in an unknown way";
  }
  __builtin_unreachable();
}

}  // namespace belay
