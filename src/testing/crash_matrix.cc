#include "testing/crash_matrix.h"

namespace belay {

CrashCount& CrashCount::operator+=(const CrashCount& other) {
  moments += other.moments;
  states += other.states;
  return *this;
}

CrashCount RunThroughCrashes(SimulatedDisk& disk, const CrashLimits& limits,
                             const std::function<void()>& act,
                             const std::function<void(SimulatedDisk&)>& judge) {
  CrashCount count;
  disk.AfterEachChange([&](const SimulatedDisk& now) {
    ++count.moments;
    for (SimulatedDisk& crashed :
         now.CrashStates(limits.states_a_moment, limits.seed + count.moments)) {
      ++count.states;
      judge(crashed);
    }
  });
  act();
  disk.AfterEachChange({});
  return count;
}

}  // namespace belay
