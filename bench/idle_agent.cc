// An agent that reports when it started and does nothing more: the least that can be supervised. It
// ends with the benchmark, in whatever way that ends, so that none is left behind.
//
//   idle_agent FIFO PID    FIFO gets "NAME NANOSECONDS\n", NAME being $BELAY_AGENT_ID or "floor"

#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  timespec now{};
  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  const char* name = getenv("BELAY_AGENT_ID");
  char line[200];
  const int length = snprintf(line, sizeof(line), "%s %lld\n", name != nullptr ? name : "floor",
                              now.tv_sec * 1'000'000'000LL + now.tv_nsec);
  const int fifo = open(argv[1], O_WRONLY | O_CLOEXEC);
  // One write of a short line is atomic.
  if (fifo < 0 || write(fifo, line, static_cast<size_t>(length)) != length) return 1;
  (void)close(fifo);
  const long bench = syscall(SYS_pidfd_open, atoi(argv[2]), 0);
  if (bench < 0) return 1;
  pollfd end{static_cast<int>(bench), POLLIN, 0};
  while (poll(&end, 1, -1) != 1) {
  }
  return 0;
}
