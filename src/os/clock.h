// The only reader of the three clocks of base/time.h. Code that needs the time takes a Clock by
// reference, so that tests set the time (testing/fake_clock.h).

#ifndef BELAY_OS_CLOCK_H_
#define BELAY_OS_CLOCK_H_

#include "base/time.h"

namespace belay {

class Clock {
 public:
  virtual ~Clock() = default;

  virtual WallTime Wall() const = 0;
  virtual MonotonicTime Monotonic() const = 0;
  virtual BootTime Boot() const = 0;
};

// The kernel's. May be used by any thread.
class SystemClock final : public Clock {
 public:
  WallTime Wall() const override;
  MonotonicTime Monotonic() const override;
  BootTime Boot() const override;
};

// Sleeps. Only for places where there is no event to wait for.
void SleepFor(Duration time);

}  // namespace belay

#endif  // BELAY_OS_CLOCK_H_
