#include "ledger/delivery_ledger.h"

#include <vector>

#include "codec/json.h"

namespace belay {

RecordText DeliveryFamily::LogText(const Json& record) {
  RecordText text = KindAndWhy(record);
  text.who = TextIn(record, "agent_id");
  if (const Result<Delivery> delivery = DeliveryFromRecord(record)) {
    text.why = DeliveryText(*delivery);
  }
  return text;
}

Result<void> DeliveryLedger::Record(const DeliveryLock& lock,
                                    std::span<const Delivery> deliveries) {
  if (deliveries.empty()) return {};
  std::vector<Json> records;
  for (const Delivery& delivery : deliveries) {
    records.push_back(DeliveryRecord(clock_.Wall(), delivery));
  }
  return Append(lock, records);
}

}  // namespace belay
