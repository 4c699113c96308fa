#include "os/clock.h"

#include <cerrno>
#include <ctime>

#include "base/check.h"

namespace belay {
namespace {

Duration Ask(clockid_t clock) {
  timespec time{};
  BELAY_CHECK(clock_gettime(clock, &time) == 0);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

}  // namespace

WallTime SystemClock::Wall() const { return WallTime(Ask(CLOCK_REALTIME)); }

MonotonicTime SystemClock::Monotonic() const { return MonotonicTime(Ask(CLOCK_MONOTONIC)); }

BootTime SystemClock::Boot() const { return BootTime(Ask(CLOCK_BOOTTIME)); }

void SleepFor(Duration time) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time);
  const auto rest = std::chrono::duration_cast<std::chrono::nanoseconds>(time - seconds);
  timespec left{seconds.count(), rest.count()};
  while (nanosleep(&left, &left) != 0 && errno == EINTR) {
  }
}

}  // namespace belay
