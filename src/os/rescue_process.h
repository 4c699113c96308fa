// A second process that finishes critical work when this one is killed in the middle of it.
//
//   RescueProcess rescue = RescueProcess::Start([&] { Recover(); });
//   ... the critical part ...
//   rescue.Dismiss();
//
// It is a copy of this process in a session of its own, with its standard descriptors on /dev/null,
// and waits on a pipe. If this process ends without Dismiss, in any way, the kernel closes the pipe
// and the copy acts. It has copies of our descriptors: a lock (flock) that we hold is released only
// when the copy has ended too.

#ifndef BELAY_OS_RESCUE_PROCESS_H_
#define BELAY_OS_RESCUE_PROCESS_H_

#include <sys/types.h>

#include <functional>
#include <utility>

#include "base/result.h"
#include "os/fd.h"

namespace belay {

class RescueProcess {
 public:
  // `act` may use files and start programs, but not the event loop.
  static Result<RescueProcess> Start(const std::function<void()>& act);
  RescueProcess(RescueProcess&& other) noexcept
      : pid_(std::exchange(other.pid_, -1)), life_(std::move(other.life_)) {}
  RescueProcess& operator=(RescueProcess&&) = delete;
  ~RescueProcess() { Dismiss(); }

  // The copy is gone when this returns.
  void Dismiss();

 private:
  RescueProcess(pid_t pid, UniqueFd life) : pid_(pid), life_(std::move(life)) {}

  pid_t pid_;
  UniqueFd life_;
};

}  // namespace belay

#endif  // BELAY_OS_RESCUE_PROCESS_H_
