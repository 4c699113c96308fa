// Callbacks handed to a loop by any thread.

#ifndef BELAY_OS_POSTBOX_H_
#define BELAY_OS_POSTBOX_H_

#include <mutex>
#include <vector>

#include "base/result.h"
#include "os/event_loop.h"
#include "os/unique_fd.h"

namespace belay {

class Postbox {
 public:
  static Result<UniqueFd> MakeBell();
  explicit Postbox(UniqueFd bell) : bell_(std::move(bell)) {}

  int fd() const { return bell_.get(); }  // readable when it was rung

  // From any thread.
  void Post(EventLoop::Callback callback);
  void Ring();

  // Runs what was posted so far; what is posted meanwhile rings again.
  void RunAll();

 private:
  UniqueFd bell_;
  std::mutex mutex_;  // for posted_
  std::vector<EventLoop::Callback> posted_;
};

}  // namespace belay

#endif  // BELAY_OS_POSTBOX_H_
