#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/process.h"
#include "os/this_process.h"

namespace belay {
namespace {

rlim_t Limit() {
  rlimit limit{};
  EXPECT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
  return limit.rlim_cur;
}

// In a process of its own: the limit is raised for good. 0, or which expectation failed.
int RaiseAndStart() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 1;
  const rlim_t highest = limit.rlim_max;
  limit.rlim_cur = 50;
  if (setrlimit(RLIMIT_NOFILE, &limit) != 0) return 2;
  RaiseFileLimit();
  if (Limit() != highest) return 3;
  auto child = Process::Spawn({.command = {"sh", "-c", "test $(ulimit -n) = 50"}});
  if (!child || child->Wait() != ExitStatus::Exited(0)) return 4;
  return Limit() == highest ? 0 : 5;
}

TEST(FileLimitTest, IsRaisedForUsAndNotForWhatWeStart) {
  const pid_t pid = fork();
  if (pid == 0) _exit(RaiseAndStart());
  int status = 0;
  ASSERT_EQ(waitpid(pid, &status, 0), pid);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace belay
