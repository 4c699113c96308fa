#include "ledger/delivery_ledger.h"

#include <vector>

namespace belay {

JournalFollower DeliveryLedger::Follower() {
  return {.forget = [this] { book_.Forget(); },
          .record = [this](std::uint64_t, const Json& record) { book_.Apply(record); }};
}

Result<void> DeliveryLedger::Record(const StateLock& lock, std::span<const Delivery> deliveries) {
  if (deliveries.empty()) return {};
  std::vector<Json> records;
  for (const Delivery& delivery : deliveries) {
    records.push_back(DeliveryRecord(clock_.Wall(), delivery));
  }
  return journal_.Append(lock, records, Follower());
}

Result<bool> DeliveryLedger::CompactIfLarge(const StateLock& lock) {
  BELAY_TRY(CatchUp());
  if (book_.unreadable() > 0) return false;
  return journal_.CompactIfLarge(lock, Follower(), [&] { return book_.Snapshot(clock_.Wall()); });
}

}  // namespace belay
