// Timers in the order they are due; those of the same moment in the order they were started. Knows
// no clock: the loops of os/event_loop.h say what time it is.

#ifndef BELAY_OS_TIMER_QUEUE_H_
#define BELAY_OS_TIMER_QUEUE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/time.h"
#include "os/event_loop.h"

namespace belay {

class TimerQueue {
 public:
  TimerId Start(MonotonicTime at, EventLoop::Callback callback);
  void Cancel(TimerId id);

  std::optional<MonotonicTime> Next() const;
  // Runs what is due at `now` and was started before; callbacks may start and cancel.
  void RunDue(MonotonicTime now);

 private:
  using Key = std::pair<MonotonicTime, TimerId>;

  std::map<Key, EventLoop::Callback> timers_;
  std::unordered_map<TimerId, MonotonicTime> due_;
  std::uint64_t last_id_ = 0;
};

}  // namespace belay

#endif  // BELAY_OS_TIMER_QUEUE_H_
