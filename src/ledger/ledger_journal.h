// A journal as ledgers use it: with its lock and its folder, and compacted when it has grown.

#ifndef BELAY_LEDGER_LEDGER_JOURNAL_H_
#define BELAY_LEDGER_LEDGER_JOURNAL_H_

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "codec/json.h"
#include "os/file_system.h"
#include "store/journal.h"
#include "store/layout.h"
#include "store/state_lock.h"

namespace belay {

// The lock of a journal in a vault that can be trusted. kBusy after `limit`, kNotFound when belay
// isn't set up.
Result<StateLock> LockJournal(FileSystem& files, const Layout& project, std::string_view journal,
                              Duration limit);

// The same without asking whether the vault can be trusted; its folder is there.
Result<StateLock> LockJournalUnchecked(FileSystem& files, const Layout& project,
                                       std::string_view journal, Duration limit);

class LedgerJournal {
 public:
  // A shorter one isn't worth the trouble.
  static constexpr std::uint64_t kSmallestCompacted = std::uint64_t{1} << 20U;
  // Every start reads all of it, so it is compacted early: everything is written twice at most.
  static constexpr std::uint64_t kTimesItsSnapshot = 2;

  LedgerJournal(FileSystem& files, const Layout& project, std::string_view name,
                std::uint64_t smallest_compacted = kSmallestCompacted);

  // Of a journal that is lost or was cut (store/archive.h) what is known stays, and it is kDamaged.
  Result<void> CatchUp(const JournalFollower& follower);
  void StartOver(const JournalFollower& follower) { journal_.StartOver(follower); }
  // On the disk when it returns, with everything before; `follower` is called with them too.
  Result<void> Append(const StateLock& lock, std::span<const Json> records,
                      const JournalFollower& follower);

  // Whether CompactIfLarge would look at it; as of the last CatchUp.
  bool MayBeLarge() const { return journal_.bytes() >= compact_at_; }
  std::uint64_t last_seq() const { return journal_.last_seq(); }
  std::uint64_t bytes() const { return journal_.bytes(); }

  // Puts what `book` gives, marked as repeated (store/timeline.h), into the place of a journal
  // of twice its length; the old one goes into the archive. Gives whether.
  Result<bool> CompactIfLarge(const StateLock& lock, const JournalFollower& follower,
                              const std::function<std::vector<Json>()>& book);

 private:
  Result<void> EnsureJournalFolder();
  Result<void> EnsureBegun(const StateLock& lock, const JournalFollower& follower);

  FileSystem& files_;
  const Layout& project_;
  std::string name_;
  Journal journal_;
  std::uint64_t smallest_compacted_;
  std::uint64_t compact_at_;     // bytes at which to look again
  bool folder_is_safe_ = false;  // its name is on the disk
  bool begun_ = false;           // the archive knows of the journal
};

}  // namespace belay

#endif  // BELAY_LEDGER_LEDGER_JOURNAL_H_
