#include "ledger/snapshot_ledger.h"

#include <vector>

#include "ledger/project_ledger.h"
#include "store/durable_file.h"
#include "store/vault.h"

namespace belay {
namespace {

Result<StateLock> LockTrusted(FileSystem& files, const Layout& project) {
  BELAY_TRY(CheckVault(files, project, VaultUse::kWrite));
  BELAY_TRY_ASSIGN(StateLock lock, ProjectLedger::Lock(files, project, kSnapshotJournal));
  // Another belay, perhaps a newer one, may have been here while we waited.
  BELAY_TRY(CheckVault(files, project, VaultUse::kWrite));
  return lock;
}

}  // namespace

SnapshotLedger::SnapshotLedger(FileSystem& files, const Clock& clock, const Layout& project)
    : files_(files),
      clock_(clock),
      project_(project),
      journal_(files, project.JournalFile(kSnapshotJournal), std::string(kSnapshotJournal)) {}

Result<std::optional<StateLock>> SnapshotLedger::LockIfSetUp(FileSystem& files,
                                                             const Layout& project) {
  Result<StateLock> lock = LockTrusted(files, project);
  if (lock) return std::optional<StateLock>(*std::move(lock));
  if (lock.error().code == ErrorCode::kNotFound) return std::optional<StateLock>();
  return std::move(lock).error();
}

Result<void> SnapshotLedger::RecordTaken(const StateLock& lock, const TakenEvent& event) {
  const Json record = TakenRecord(clock_.Wall(), event);
  return Append(lock, {&record, 1});
}

Result<void> SnapshotLedger::RecordRestored(const StateLock& lock, const RestoredEvent& event,
                                            const std::optional<TakenEvent>& rescue) {
  std::vector<Json> records;
  if (rescue) records.push_back(TakenRecord(clock_.Wall(), *rescue));
  records.push_back(RestoredRecord(clock_.Wall(), event));
  return Append(lock, records);
}

Result<void> SnapshotLedger::RecordPruned(const StateLock& lock,
                                          std::span<const PrunedEvent> events) {
  std::vector<Json> records;
  for (const PrunedEvent& event : events) records.push_back(PrunedRecord(clock_.Wall(), event));
  return Append(lock, records);
}

Result<void> SnapshotLedger::Append(const StateLock& lock, std::span<const Json> records) {
  BELAY_TRY(EnsureFolder(files_, project_.JournalFolder()));
  BELAY_TRY(journal_.Append(lock, records, {}));
  return {};
}

}  // namespace belay
