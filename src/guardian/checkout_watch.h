// Tells when a checkout may have changed that the merge queue waits for: git has written to one of
// the repository's git folders (its index, its HEAD, a merge that is over). What git doesn't see, a
// file that was edited back, is found by looking from time to time.

#ifndef BELAY_GUARDIAN_CHECKOUT_WATCH_H_
#define BELAY_GUARDIAN_CHECKOUT_WATCH_H_

#include <functional>
#include <string>
#include <vector>

#include "os/event_loop.h"
#include "os/file_system.h"

namespace belay {

class CheckoutWatch {
 public:
  CheckoutWatch(EventLoop& loop, const FileSystem& files, std::string common_folder,
                std::function<void()> changed)
      : loop_(loop),
        files_(files),
        common_folder_(std::move(common_folder)),
        changed_(std::move(changed)) {}
  CheckoutWatch(const CheckoutWatch&) = delete;
  CheckoutWatch& operator=(const CheckoutWatch&) = delete;
  ~CheckoutWatch() { Set(false); }

  // As often as you like.
  void Set(bool on);

 private:
  void Add(const std::string& folder);
  void Soon();
  void Later();

  EventLoop& loop_;
  const FileSystem& files_;
  std::string common_folder_;
  std::function<void()> changed_;
  bool on_ = false;
  bool soon_ = false;
  TimerId timer_ = {};
  std::vector<WatchId> watches_ = {};
};

}  // namespace belay

#endif  // BELAY_GUARDIAN_CHECKOUT_WATCH_H_
