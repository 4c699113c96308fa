// The one place that writes the journal "deliveries": what became of each message to an agent. Its
// lock is also the lock of all outboxes (ledger/outbox.h) but for what hooks do.

#ifndef BELAY_LEDGER_DELIVERY_LEDGER_H_
#define BELAY_LEDGER_DELIVERY_LEDGER_H_

#include <span>

#include "base/result.h"
#include "ledger/ledger_journal.h"
#include "model/delivery.h"
#include "os/clock.h"
#include "os/file_system.h"
#include "store/layout.h"
#include "store/state_lock.h"

namespace belay {

class DeliveryLedger {
 public:
  DeliveryLedger(FileSystem& files, const Clock& clock, const Layout& project)
      : clock_(clock), journal_(files, project, kDeliveryJournal) {}

  static Result<StateLock> Lock(FileSystem& files, const Layout& project,
                                Duration limit = std::chrono::seconds(2)) {
    return LockJournal(files, project, kDeliveryJournal, limit);
  }

  Result<void> CatchUp() { return journal_.CatchUp(Follower()); }
  const DeliveryBook& book() const { return book_; }
  // Durable when it returns.
  Result<void> Record(const StateLock& lock, std::span<const Delivery> deliveries);
  Result<bool> CompactIfLarge(const StateLock& lock);

 private:
  JournalFollower Follower();

  const Clock& clock_;
  LedgerJournal journal_;
  DeliveryBook book_;
};

}  // namespace belay

#endif  // BELAY_LEDGER_DELIVERY_LEDGER_H_
