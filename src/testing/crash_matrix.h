// The crash matrix: an operation runs on a simulated disk, the power fails after every single
// change, and every disk that may be left is recovered and checked.

#ifndef BELAY_TESTING_CRASH_MATRIX_H_
#define BELAY_TESTING_CRASH_MATRIX_H_

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <functional>

#include "os/file_calls.h"
#include "testing/simulated_disk.h"

namespace belay {

struct CrashCount {
  std::size_t moments = 0;  // changes after which the power failed
  std::size_t states = 0;   // disks that were recovered and checked

  CrashCount& operator+=(const CrashCount& other);
};

struct CrashLimits {
  std::size_t states_a_moment = 64;
  std::uint64_t seed = 1;
};

// Runs `act` on `disk`. After each of its changes, and once it has returned, `judge` gets every
// disk that a crash may leave; it may modify that disk (recover on it, continue with it). `act`
// records its progress in its own variables, so that `judge` knows what was acknowledged at that
// moment.
CrashCount RunThroughCrashes(SimulatedDisk& disk, const CrashLimits& limits,
                             const std::function<void()>& act,
                             const std::function<void(SimulatedDisk&)>& judge);

// A process that does `act` on `disk` and is killed at its call `n`: from there on nothing it does
// reaches the disk, which keeps its cache. False when it made fewer calls.
bool RunKilledAt(SimulatedDisk& disk, std::size_t n, const std::function<void(FileCalls&)>& act);

// For every pair of `operations` (with a `name`), kills the first at call 1, 2 and so on, as long
// as `try_one(first, n, second)` returns that there was such a call. Stops when the test has
// failed.
template <class Operations, class TryOne>
void ForEveryKill(const Operations& operations, const TryOne& try_one) {
  for (const auto& first : operations) {
    for (const auto& second : operations) {
      SCOPED_TRACE(fmt::format("{} killed, then {}", first.name, second.name));
      for (std::size_t n = 1; try_one(first, n, second); ++n) {
        ASSERT_FALSE(::testing::Test::HasFailure()) << "killed at call " << n;
      }
    }
  }
}

}  // namespace belay

#endif  // BELAY_TESTING_CRASH_MATRIX_H_
