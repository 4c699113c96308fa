// The one place that writes taint: the journal "taint", and its rendering taint.json.

#ifndef BELAY_LEDGER_TAINT_LEDGER_H_
#define BELAY_LEDGER_TAINT_LEDGER_H_

#include <optional>
#include <string_view>

#include "base/result.h"
#include "ledger/ledger_journal.h"
#include "model/taint.h"
#include "os/clock.h"
#include "os/file_system.h"
#include "store/layout.h"
#include "store/state_lock.h"

namespace belay {

class TaintLedger {
 public:
  TaintLedger(FileSystem& files, const Clock& clock, const Layout& project);

  static Result<StateLock> Lock(FileSystem& files, const Layout& project,
                                Duration limit = std::chrono::seconds(2));

  // A journal that can't be read is an error: whoever asks must treat every session as tainted.
  Result<void> CatchUp();
  const TaintBook& book() const { return book_; }

  // A session starts: clean without a predecessor; with one, whatever counts for that one
  // (TaintBook::OfKnown). One that is recorded already gets what it lacks of that. Durable.
  Result<Taint> Begin(const StateLock& lock, std::string_view session,
                      std::optional<std::string_view> predecessor);
  // Durable before whoever asked goes on. A session that was never heard of is begun by it.
  Result<Taint> Mark(const StateLock& lock, std::string_view session, TaintSource source);

  Result<void> Render(const StateLock& lock);
  // As IdentityLedger does.
  Result<bool> CompactIfLarge(const StateLock& lock);

 private:
  JournalFollower Follower();

  FileSystem& files_;
  const Clock& clock_;
  const Layout& project_;
  LedgerJournal journal_;
  TaintBook book_;
};

}  // namespace belay

#endif  // BELAY_LEDGER_TAINT_LEDGER_H_
