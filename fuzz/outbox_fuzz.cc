// Any JSON as an outbox, and any text as a name in its folder: a valid one survives a round trip.

#include <cstdint>

#include "base/check.h"
#include "ledger/outbox.h"
#include "model/delivery.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)belay::ParseOutboxName(text);
  const auto record = belay::ParseJson(text);
  if (!record) return 0;
  if (const auto delivery = belay::DeliveryFromRecord(*record)) {
    // Times are stored to the microsecond, so the written form must stay the same.
    const belay::Json written = belay::DeliveryRecord({}, *delivery);
    const auto again = belay::DeliveryFromRecord(written);
    BELAY_CHECK(again.ok() && belay::DeliveryRecord({}, *again) == written);
  }
  if (const auto receipt = belay::OutboxReceiptFromJson(*record)) {
    const belay::Json written = belay::ToJson(*receipt);
    const auto again = belay::OutboxReceiptFromJson(written);
    BELAY_CHECK(again.ok() && belay::ToJson(*again) == written);
  }
  const auto batch = belay::OutboxBatchFromJson(*record);
  if (!batch) return 0;
  const belay::Json json = belay::ToJson(*batch);
  const auto again = belay::OutboxBatchFromJson(json);
  BELAY_CHECK(again.ok() && belay::ToJson(*again) == json);
  return 0;
}
