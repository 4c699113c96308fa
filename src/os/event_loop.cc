#include "os/event_loop.h"

#include <utility>

namespace belay {

TimerId EventLoop::StartTimer(Duration wait, Callback callback) {
  const MonotonicTime now = Now();
  const bool never = wait > MonotonicTime::max() - now;
  return StartTimerAt(never ? MonotonicTime::max() : now + wait, std::move(callback));
}

}  // namespace belay
