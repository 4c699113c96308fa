// Points in time and durations, as values. Nothing here reads a clock.
//
// Values of the three clocks don't mix: the wall clock (what people and records see; may jump), the
// monotonic clock (for waiting; stops while the machine sleeps) and the boot clock (for real
// elapsed time; runs while it sleeps).

#ifndef BELAY_BASE_TIME_H_
#define BELAY_BASE_TIME_H_

#include <chrono>
#include <string>
#include <string_view>

#include "base/result.h"

namespace belay {

using Duration = std::chrono::nanoseconds;

struct WallClock {
  using duration = Duration;
};
struct MonotonicClock {
  using duration = Duration;
};
struct BootClock {
  using duration = Duration;
};

using WallTime = std::chrono::time_point<WallClock>;  // since 1970-01-01T00:00:00Z
using MonotonicTime = std::chrono::time_point<MonotonicClock>;
using BootTime = std::chrono::time_point<BootClock>;

// "2026-11-15T06:36:00Z"; parts of a second are dropped.
std::string FormatUtc(WallTime time);
// "2026-11-15T06:36:00.123456Z", where order within a second matters.
std::string FormatUtcMicros(WallTime time);
// Accepts exactly those two forms, with one to nine fractional digits, from 1970 to 2261.
Result<WallTime> ParseUtc(std::string_view text);

// "90s", "10m", "1h30m", "500ms", "2d": whole numbers with units d, h, m, s, ms, largest first,
// each at most once. "0" needs no unit; there are no negative durations.
Result<Duration> ParseDuration(std::string_view text);
// The shortest form that ParseDuration reads back, exact to the millisecond.
std::string FormatDuration(Duration duration);

}  // namespace belay

#endif  // BELAY_BASE_TIME_H_
