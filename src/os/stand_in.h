// A second process that finishes a critical piece of work when this one is killed in the midst of
// it.
//
//   StandIn stand_in = StandIn::Start([&] { Recover(); });
//   ... the critical part ...
//   stand_in.Dismiss();
//
// It is a copy of this process in a session of its own, with nothing on its standard descriptors,
// and waits on a pipe. If this process ends without Dismiss, however it ends, the kernel closes the
// pipe and the copy acts. It has copies of our descriptors: a lock (flock) that we hold is free
// only when the copy has ended as well.

#ifndef BELAY_OS_STAND_IN_H_
#define BELAY_OS_STAND_IN_H_

#include <sys/types.h>

#include <functional>
#include <utility>

#include "base/result.h"
#include "os/fd.h"

namespace belay {

class StandIn {
 public:
  // `act` may use files and start programs; the event loop isn't for it.
  static Result<StandIn> Start(const std::function<void()>& act);
  StandIn(StandIn&& other) noexcept
      : pid_(std::exchange(other.pid_, -1)), life_(std::move(other.life_)) {}
  StandIn& operator=(StandIn&&) = delete;
  ~StandIn() { Dismiss(); }

  // It is gone when this returns.
  void Dismiss();

 private:
  StandIn(pid_t pid, UniqueFd life) : pid_(pid), life_(std::move(life)) {}

  pid_t pid_;
  UniqueFd life_;
};

}  // namespace belay

#endif  // BELAY_OS_STAND_IN_H_
