// The crash matrix: an operation is run on a simulated disk, the power goes at every single moment
// of it, and every disk that may be left is recovered and judged.

#ifndef BELAY_TESTING_CRASH_MATRIX_H_
#define BELAY_TESTING_CRASH_MATRIX_H_

#include <cstddef>
#include <functional>

#include "testing/simulated_disk.h"

namespace belay {

struct CrashCount {
  std::size_t moments = 0;  // changes after which the power went
  std::size_t states = 0;   // disks that were recovered and judged

  CrashCount& operator+=(const CrashCount& other);
};

struct CrashLimits {
  std::size_t states_a_moment = 64;
  std::uint64_t seed = 1;
};

// Runs `act` on `disk`. After each of its changes, `judge` gets every disk that a crash may leave;
// it may use up the disk (recover on it, go on with it). `act` tells by its own variables how far
// it has come, so that `judge` knows what was acknowledged at that moment.
CrashCount RunThroughCrashes(SimulatedDisk& disk, const CrashLimits& limits,
                             const std::function<void()>& act,
                             const std::function<void(SimulatedDisk&)>& judge);

}  // namespace belay

#endif  // BELAY_TESTING_CRASH_MATRIX_H_
