// The process that sleeps until a message comes.

#ifndef BELAY_BENCH_STORE_READER_H_
#define BELAY_BENCH_STORE_READER_H_

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

#include "base/check.h"

namespace belay::bench {

// What the reader reports of each message.
struct Report {
  double woken = 0;     // the folder's change has arrived
  double received = 0;  // the message is in hand
};

inline void Tell(int fd, const Report& report) {
  BELAY_CHECK(write(fd, &report, sizeof(report)) == sizeof(report));
}

// A process that reports over a pipe: first an empty report when it is ready, then one for each
// message.
class Reader {
 public:
  explicit Reader(const std::function<void(int)>& read_all) {
    BELAY_CHECK(pipe2(ends_, O_CLOEXEC) == 0);
    child_ = fork();
    BELAY_CHECK(child_ >= 0);
    if (child_ == 0) {
      read_all(ends_[1]);
      _exit(0);
    }
    (void)Next();
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  ~Reader() {
    int status = 0;
    BELAY_CHECK(waitpid(child_, &status, 0) == child_ && status == 0);
    (void)close(ends_[0]);
    (void)close(ends_[1]);
  }

  Report Next() const {
    Report report;
    BELAY_CHECK(read(ends_[0], &report, sizeof(report)) == sizeof(report));
    return report;
  }

 private:
  int ends_[2] = {};
  pid_t child_ = -1;
};

}  // namespace belay::bench

#endif  // BELAY_BENCH_STORE_READER_H_
