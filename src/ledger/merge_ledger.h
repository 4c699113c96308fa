// The one place that writes the merge queue: the journal "merge-queue", and its rendering
// merge-queue.json. Nothing is ever read back from that.

#ifndef BELAY_LEDGER_MERGE_LEDGER_H_
#define BELAY_LEDGER_MERGE_LEDGER_H_

#include <functional>
#include <string_view>

#include "base/result.h"
#include "ledger/ledger_journal.h"
#include "model/merge_book.h"
#include "os/clock.h"
#include "os/file_system.h"
#include "store/layout.h"
#include "store/state_lock.h"

namespace belay {

class MergeLedger {
 public:
  MergeLedger(FileSystem& files, const Clock& clock, const Layout& project);

  static Result<StateLock> Lock(FileSystem& files, const Layout& project,
                                Duration limit = std::chrono::seconds(2));

  Result<void> CatchUp();
  const MergeBook& book() const { return book_; }

  // On the disk when it returns, with the number that it got. One of the same branch and target
  // that isn't finished: kRefused, see MergeBook::FindOpen.
  Result<MergeEntry> Add(const StateLock& lock, MergeEntry entry, std::string_view why);
  // Catches up, lets `edit` change the entry and its target, and records what it did, at once.
  // `edit` sees both as they are now, which may not be what the caller saw, and can refuse.
  // kNotFound when there is none.
  using Edit = std::function<Result<void>(MergeEntry&, MergeTarget&)>;
  Result<MergeEntry> Change(const StateLock& lock, std::uint64_t number, std::string_view why,
                            const Edit& edit);
  Result<MergeTarget> ChangeTarget(const StateLock& lock, std::string_view branch,
                                   std::string_view why,
                                   const std::function<void(MergeTarget&)>& edit);
  // One more run of a gate that was asked to judge.
  Result<void> CountGate(const StateLock& lock, std::string_view name, bool flaky);

  Result<void> Render(const StateLock& lock);
  // As IdentityLedger does.
  Result<bool> CompactIfLarge(const StateLock& lock);

 private:
  JournalFollower Follower();
  Result<void> Append(const StateLock& lock, const Json& record);

  FileSystem& files_;
  const Clock& clock_;
  const Layout& project_;
  LedgerJournal journal_;
  MergeBook book_;
};

}  // namespace belay

#endif  // BELAY_LEDGER_MERGE_LEDGER_H_
