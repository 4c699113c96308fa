// A real process that is killed at a chosen moment, on a real disk.
//
//   for (std::size_t n = 1;; ++n) {
//     const KilledRun run = RunKilledAtChange(n, [&](FileCalls& calls, Programs& programs) {...});
//     if (run == KilledRun::kEnded) break;
//     ... recover and judge ...
//   }
//
// Only calls that change something count, and started programs: between two of them the disk
// doesn't change. Nothing is synced: a kill doesn't affect the kernel's cache, and a test that does
// this a hundred times would mostly wait for the disk.

#ifndef BELAY_TESTING_KILLING_CALLS_H_
#define BELAY_TESTING_KILLING_CALLS_H_

#include <cstddef>
#include <functional>

#include "os/file_calls.h"
#include "os/program.h"

namespace belay {

class UnsyncedCalls final : public RealFileCalls {
 public:
  int Sync(int) override { return 0; }
  int SyncData(int) override { return 0; }
  int SyncDisk(int) override { return 0; }
};

enum class KilledRun { kKilled, kEnded, kFailed };

// Does `act` in a child, which is killed (SIGKILL) right before its change number `n`. kEnded: it
// made fewer, and `act` returned true; kFailed: it returned false.
KilledRun RunKilledAtChange(std::size_t n, const std::function<bool(FileCalls&, Programs&)>& act);

}  // namespace belay

#endif  // BELAY_TESTING_KILLING_CALLS_H_
