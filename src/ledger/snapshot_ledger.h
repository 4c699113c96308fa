// The one place that writes the journal "snapshots". Records are on the disk when a call returns;
// after an error, the first few may be.

#ifndef BELAY_LEDGER_SNAPSHOT_LEDGER_H_
#define BELAY_LEDGER_SNAPSHOT_LEDGER_H_

#include <optional>
#include <span>

#include "base/result.h"
#include "ledger/ledger.h"
#include "model/snapshot_log.h"

namespace belay {

class SnapshotLedger;
struct SnapshotFamily : FamilyDefaults {
  using Book = SnapshotBook;
  using LedgerClass = SnapshotLedger;
  static constexpr std::string_view kJournal = "snapshots";
  static constexpr std::string_view kWhyPrefix = "snapshot ";
  static std::optional<RecordText> WhyText(const Json& record);
};
using SnapshotLock = FamilyLock<SnapshotFamily>;

class SnapshotLedger : public Ledger<SnapshotFamily> {
 public:
  using Ledger::Ledger;

  // Nothing when there is no vault: then belay was never set up here, and there is no place to
  // record.
  static Result<std::optional<SnapshotLock>> LockIfSetUp(FileSystem& files, const Layout& project);

  Result<void> RecordTaken(const SnapshotLock& lock, const TakenEvent& event);
  // With the snapshot taken before it, if there is one.
  Result<void> RecordRestored(const SnapshotLock& lock, const RestoredEvent& event,
                              const std::optional<TakenEvent>& rescue);
  Result<void> RecordPruned(const SnapshotLock& lock, std::span<const PrunedEvent> events);
};

}  // namespace belay

#endif  // BELAY_LEDGER_SNAPSHOT_LEDGER_H_
