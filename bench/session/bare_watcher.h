// The floor of noticing a death: a bare program that watches as many processes by pidfd, and when
// one ends appends a kilobyte to a file, syncs it, and reports.

#ifndef BELAY_BENCH_SESSION_BARE_WATCHER_H_
#define BELAY_BENCH_SESSION_BARE_WATCHER_H_

#include <sys/types.h>

#include <string>
#include <vector>

namespace belay::bench {

class BareWatcher {
 public:
  // A separate process, until all of them have ended.
  BareWatcher(const std::vector<pid_t>& watched, const std::string& file);
  BareWatcher(const BareWatcher&) = delete;
  BareWatcher& operator=(const BareWatcher&) = delete;
  ~BareWatcher();

  struct Seen {
    double woken = 0;     // micros of the monotonic clock
    double recorded = 0;  // on the disk
  };
  Seen Next() const;

 private:
  int ends_[2] = {};
  pid_t child_ = -1;
};

}  // namespace belay::bench

#endif  // BELAY_BENCH_SESSION_BARE_WATCHER_H_
