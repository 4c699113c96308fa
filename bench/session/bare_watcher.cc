#include "bare_watcher.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "base/check.h"
#include "store/measure.h"

namespace belay::bench {
namespace {

void WatchAll(std::vector<pollfd> watched, const std::string& path, int report) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  BELAY_CHECK(file >= 0);
  const std::string record(1000, 'x');
  for (std::size_t left = watched.size(); left > 0;) {
    BELAY_CHECK(poll(watched.data(), watched.size(), -1) > 0);
    BareWatcher::Seen seen{.woken = MicrosNow()};
    for (pollfd& one : watched) {
      if (one.revents == 0) continue;
      one.fd = -1;  // poll ignores it
      one.revents = 0;
      --left;
    }
    BELAY_CHECK(write(file, record.data(), record.size()) == 1000 && fdatasync(file) == 0);
    seen.recorded = MicrosNow();
    BELAY_CHECK(write(report, &seen, sizeof(seen)) == sizeof(seen));
  }
}

}  // namespace

BareWatcher::BareWatcher(const std::vector<pid_t>& watched, const std::string& file) {
  BELAY_CHECK(pipe2(ends_, O_CLOEXEC) == 0);
  child_ = fork();
  BELAY_CHECK(child_ >= 0);
  if (child_ > 0) return;
  (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::vector<pollfd> fds;
  for (const pid_t pid : watched) {
    fds.push_back({static_cast<int>(syscall(SYS_pidfd_open, pid, 0)), POLLIN, 0});
    BELAY_CHECK(fds.back().fd >= 0);
  }
  const Seen ready;
  BELAY_CHECK(write(ends_[1], &ready, sizeof(ready)) == sizeof(ready));
  WatchAll(std::move(fds), file, ends_[1]);
  _exit(0);
}

BareWatcher::~BareWatcher() {
  (void)kill(child_, SIGKILL);
  (void)waitpid(child_, nullptr, 0);
  (void)close(ends_[0]);
  (void)close(ends_[1]);
}

BareWatcher::Seen BareWatcher::Next() const {
  Seen seen;
  BELAY_CHECK(read(ends_[0], &seen, sizeof(seen)) == sizeof(seen));
  return seen;
}

}  // namespace belay::bench
