// The kernel's file calls, with the moments of the last rename and the last sync.

#ifndef BELAY_BENCH_STORE_STAMPED_CALLS_H_
#define BELAY_BENCH_STORE_STAMPED_CALLS_H_

#include <string>

#include "measure.h"
#include "os/file_calls.h"

namespace belay::bench {

class StampedCalls final : public RealFileCalls {
 public:
  double before_rename() const { return before_rename_; }
  double after_sync() const { return after_sync_; }

  int Rename(const std::string& from, const std::string& to) override {
    before_rename_ = MicrosNow();
    return RealFileCalls::Rename(from, to);
  }
  int Sync(int fd) override {
    const int result = RealFileCalls::Sync(fd);
    after_sync_ = MicrosNow();
    return result;
  }

 private:
  double before_rename_ = 0;
  double after_sync_ = 0;
};

}  // namespace belay::bench

#endif  // BELAY_BENCH_STORE_STAMPED_CALLS_H_
