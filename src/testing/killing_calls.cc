#include "testing/killing_calls.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/check.h"
#include "testing/watched_calls.h"

namespace belay {

KilledRun RunKilledAtChange(std::size_t n, const std::function<bool(FileCalls&, Programs&)>& act) {
  const pid_t child = fork();
  BELAY_CHECK(child >= 0);
  if (child == 0) {
    std::size_t left = n;
    const auto count = [&] {
      if (left-- == 1) (void)kill(getpid(), SIGKILL);
    };
    UnsyncedCalls real_calls;
    PosixPrograms real_programs;
    WatchedCalls calls(real_calls, [&](const WatchedCall& call) {
      if (call.changes) count();
    });
    WatchedPrograms programs(real_programs, [&](const ProgramRequest&) { count(); });
    _exit(act(calls, programs) ? 0 : 1);
  }
  int status = 0;
  BELAY_CHECK(waitpid(child, &status, 0) == child);
  if (WIFSIGNALED(status)) return KilledRun::kKilled;
  return WEXITSTATUS(status) == 0 ? KilledRun::kEnded : KilledRun::kFailed;
}

}  // namespace belay
