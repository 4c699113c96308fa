#include "sessions/reports.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/check.h"

namespace belay {

// Open for both directions, so that it never ends.
Reports::Reports(const std::string& path) {
  BELAY_CHECK(mkfifo(path.c_str(), 0600) == 0);
  pipe_ = UniqueFd(open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC));
  BELAY_CHECK(pipe_.get() >= 0);
}

void Reports::TakeIn() {
  char buffer[4096];
  for (ssize_t got = 0; (got = read(pipe_.get(), buffer, sizeof(buffer))) > 0;) {
    partial_.append(buffer, static_cast<std::size_t>(got));
  }
  for (std::size_t end = 0; (end = partial_.find('\n')) != std::string::npos;) {
    book_.Add(partial_.substr(0, end));
    partial_.erase(0, end + 1);
  }
}

// False when the time is over.
bool Reports::Wait(MonotonicTime until, int other) {
  const Duration left = until - clock_.Monotonic();
  if (left <= Duration(0)) return false;
  pollfd waits[] = {{pipe_.get(), POLLIN, 0}, {other, POLLIN, 0}};
  const timespec limit{left.count() / 1'000'000'000, left.count() % 1'000'000'000};
  (void)ppoll(waits, 2, &limit, nullptr);
  TakeIn();
  return true;
}

bool Reports::Listen(Duration limit, const std::function<bool()>& enough) {
  const MonotonicTime until = clock_.Monotonic() + limit;
  TakeIn();
  while (!enough()) {
    if (!Wait(until, -1)) return false;
  }
  return true;
}

bool Reports::ListenWhile(const Process& process, Duration limit) {
  const MonotonicTime until = clock_.Monotonic() + limit;
  const auto ended = [&] {
    pollfd wait{process.pidfd(), POLLIN, 0};
    return poll(&wait, 1, 0) == 1;
  };
  while (!ended()) {
    if (!Wait(until, process.pidfd())) return false;
  }
  TakeIn();
  return true;
}

}  // namespace belay
