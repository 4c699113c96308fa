#include "ledger/ledger_journal.h"

#include <algorithm>

#include "store/archive.h"
#include "store/durable_file.h"
#include "store/timeline.h"
#include "store/vault.h"

namespace belay {
namespace {

std::uint64_t BytesOf(std::span<const Json> records) {
  std::uint64_t bytes = 0;
  std::string text;
  for (const Json& record : records) {
    text.clear();
    AppendJson(record, text);
    bytes += text.size();
  }
  return bytes;
}

std::vector<Json> MarkedAsRepeated(std::vector<Json> records) {
  for (Json& record : records) MarkRepeated(record);
  return records;
}

}  // namespace

Result<StateLock> LockJournalUnchecked(FileSystem& files, const Layout& project,
                                       std::string_view journal, Duration limit) {
  // A lock need not survive a power cut; so nothing is synced where the folder is there.
  if (!files.Inspect(project.LockFolder())) BELAY_TRY(EnsureFolder(files, project.LockFolder()));
  return StateLock::Acquire(files, project.LockFile(journal), limit);
}

Result<StateLock> LockJournal(FileSystem& files, const Layout& project, std::string_view journal,
                              Duration limit) {
  BELAY_TRY(CheckVault(files, project, VaultUse::kWrite));
  BELAY_TRY_ASSIGN(StateLock lock, LockJournalUnchecked(files, project, journal, limit));
  // Another belay, perhaps a newer one, may have run while we waited.
  BELAY_TRY(CheckVault(files, project, VaultUse::kWrite));
  return lock;
}

LedgerJournal::LedgerJournal(FileSystem& files, const Layout& project, std::string_view name,
                             std::uint64_t smallest_compacted)
    : files_(files),
      project_(project),
      name_(name),
      journal_(files, project.JournalFile(name), std::string(name)),
      smallest_compacted_(smallest_compacted),
      compact_at_(smallest_compacted) {}

// It may have been removed since it was made durable.
Result<void> LedgerJournal::EnsureJournalFolder() {
  if (folder_is_safe_ && files_.Inspect(project_.JournalFolder())) return {};
  BELAY_TRY(EnsureFolder(files_, project_.JournalFolder()));
  folder_is_safe_ = true;
  return {};
}

Result<void> LedgerJournal::CatchUp(const JournalFollower& follower) {
  BELAY_TRY(CheckNotLost(files_, project_, name_));
  const std::uint64_t noted = NotedEnd(files_, project_, name_);
  // Another file in its place is judged before what is known is forgotten.
  if (journal_.last_seq() > 0 && !journal_.Continues()) {
    Journal other(files_, project_.JournalFile(name_), name_);
    if (other.CatchUp({})) BELAY_TRY(CheckNotCut(project_, name_, other.last_seq(), noted));
  }
  BELAY_TRY(journal_.CatchUp(follower));
  return CheckNotCut(project_, name_, journal_.last_seq(), noted);
}

// The journal first, and safe: what the archive knows of and isn't there is lost.
Result<void> LedgerJournal::EnsureBegun(const StateLock& lock, const JournalFollower& follower) {
  BELAY_TRY(CatchUp(follower));
  BELAY_TRY(EnsureJournalFolder());
  if (begun_) return {};
  BELAY_TRY(journal_.Append(lock, {}, follower));
  BELAY_TRY(MarkBegun(files_, lock, project_, name_));
  begun_ = true;
  return {};
}

Result<void> LedgerJournal::Append(const StateLock& lock, std::span<const Json> records,
                                   const JournalFollower& follower) {
  BELAY_TRY(EnsureBegun(lock, follower));
  BELAY_TRY_ASSIGN(const std::uint64_t last, journal_.Append(lock, records, follower));
  NoteEnd(files_, lock, project_, name_, last);
  const std::uint64_t first = last - records.size() + 1;
  for (std::size_t i = 0; i < records.size(); ++i) follower.record(first + i, records[i]);
  return {};
}

Result<bool> LedgerJournal::CompactIfLarge(const StateLock& lock, const JournalFollower& follower,
                                           const std::function<std::vector<Json>()>& book) {
  BELAY_TRY(CatchUp(follower));
  if (!MayBeLarge()) return false;
  const auto snapshot = [&] { return MarkedAsRepeated(book()); };
  const std::uint64_t enough = kTimesItsSnapshot * BytesOf(snapshot());
  compact_at_ = std::max(smallest_compacted_, enough);
  if (journal_.bytes() < compact_at_) return false;
  // Only complete lines are copied: cuts off half a line that a crash left.
  BELAY_TRY(journal_.Append(lock, {}, follower));
  BELAY_TRY(ArchiveJournal(files_, lock, project_, name_, journal_.last_seq()));
  BELAY_TRY(journal_.Compact(lock, follower, snapshot));
  NoteEnd(files_, lock, project_, name_, journal_.last_seq());
  return true;
}

}  // namespace belay
