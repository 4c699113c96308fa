// The one place that writes the journal "snapshots". What is recorded is on the disk when a call
// returns; with an error, a first part of it may be.

#ifndef BELAY_LEDGER_SNAPSHOT_LEDGER_H_
#define BELAY_LEDGER_SNAPSHOT_LEDGER_H_

#include <optional>
#include <span>

#include "base/result.h"
#include "model/snapshot_log.h"
#include "os/clock.h"
#include "os/file_system.h"
#include "store/journal.h"
#include "store/layout.h"
#include "store/state_lock.h"

namespace belay {

class SnapshotLedger {
 public:
  SnapshotLedger(FileSystem& files, const Clock& clock, const Layout& project);

  // The lock of the journal, and a vault that can be trusted. Nothing when there is no vault: then
  // belay was never set up here, and there is nowhere to record. Waits at most about two seconds,
  // then kBusy.
  static Result<std::optional<StateLock>> LockIfSetUp(FileSystem& files, const Layout& project);

  Result<void> RecordTaken(const StateLock& lock, const TakenEvent& event);
  // With the snapshot that was taken before it, if there is one.
  Result<void> RecordRestored(const StateLock& lock, const RestoredEvent& event,
                              const std::optional<TakenEvent>& rescue);
  Result<void> RecordPruned(const StateLock& lock, std::span<const PrunedEvent> events);

 private:
  Result<void> Append(const StateLock& lock, std::span<const Json> records);

  FileSystem& files_;
  const Clock& clock_;
  const Layout& project_;
  Journal journal_;
};

}  // namespace belay

#endif  // BELAY_LEDGER_SNAPSHOT_LEDGER_H_
