#include "testing/crash_matrix.h"

#include <cerrno>

#include "testing/faulty_calls.h"

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
  const auto look = [&](const SimulatedDisk& now) {
    ++count.moments;
    for (SimulatedDisk& crashed :
         now.CrashStates(limits.states_a_moment, limits.seed + count.moments)) {
      ++count.states;
      judge(crashed);
    }
  };
  disk.AfterEachChange(look);
  act();
  disk.AfterEachChange({});
  look(disk);
  return count;
}

bool RunKilledAt(SimulatedDisk& disk, std::size_t n, const std::function<void(FileCalls&)>& act) {
  FaultyCalls calls(disk);
  calls.Plan({.number = n, .error = EIO, .lasting = true});
  act(calls);
  return calls.faults() > 0;
}

}  // namespace belay
