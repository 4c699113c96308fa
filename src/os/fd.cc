#include "os/fd.h"

#include <poll.h>

#include <algorithm>
#include <cerrno>

namespace belay {

void UniqueFd::Close(int fd) { (void)close(fd); }

int WriteAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EAGAIN) {
      // Another process made the descriptor non-blocking: wait as a blocking one would.
      pollfd room{fd, POLLOUT, 0};
      (void)poll(&room, 1, -1);
      continue;
    }
    if (written < 0) return errno;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

int ReadToEnd(int fd, std::size_t limit, std::string& out) {
  char buffer[16384];
  while (out.size() <= limit) {
    const std::size_t wanted = std::min(sizeof(buffer), limit + 1 - out.size());
    const ssize_t count = read(fd, buffer, wanted);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    if (count == 0) break;
    out.append(buffer, static_cast<std::size_t>(count));
  }
  return 0;
}

int ReadToEndWithin(int fd, std::size_t limit, std::chrono::milliseconds time, std::string& out) {
  using Steady = std::chrono::steady_clock;
  const Steady::time_point until = Steady::now() + time;
  char buffer[16384];
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Steady::now());
    pollfd more{fd, POLLIN, 0};
    const int ready = left.count() > 0 ? poll(&more, 1, static_cast<int>(left.count())) : 0;
    if (ready < 0 && errno == EINTR) continue;
    if (ready < 0) return errno;
    if (ready == 0) return ETIME;
    const ssize_t count = read(fd, buffer, sizeof(buffer));
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count < 0) return errno;
    if (count == 0) return 0;
    out.append(buffer, std::min(static_cast<std::size_t>(count), limit - out.size()));
  }
}

}  // namespace belay
