// Time that passes only when the test advances it.

#ifndef BELAY_TESTING_FAKE_CLOCK_H_
#define BELAY_TESTING_FAKE_CLOCK_H_

#include "base/time.h"
#include "os/clock.h"

namespace belay {

class FakeClock final : public Clock {
 public:
  // 2026-01-01T00:00:00Z, on a machine that has been up for an hour, half of it asleep.
  FakeClock() = default;

  WallTime Wall() const override { return wall_; }
  MonotonicTime Monotonic() const override { return monotonic_; }
  BootTime Boot() const override { return boot_; }

  void Advance(Duration duration) {
    Suspend(duration);
    monotonic_ += duration;
  }
  // The date is set.
  void JumpWall(Duration duration) { wall_ += duration; }
  // The machine sleeps.
  void Suspend(Duration duration) {
    wall_ += duration;
    boot_ += duration;
  }

 private:
  WallTime wall_{std::chrono::seconds(1'767'225'600)};
  MonotonicTime monotonic_{std::chrono::minutes(30)};
  BootTime boot_{std::chrono::minutes(60)};
};

}  // namespace belay

#endif  // BELAY_TESTING_FAKE_CLOCK_H_
