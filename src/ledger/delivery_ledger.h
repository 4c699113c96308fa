// The one place that writes the journal "deliveries": the state of each message to an agent. Its
// lock also protects all outboxes (ledger/outbox.h), except for what hooks do.

#ifndef BELAY_LEDGER_DELIVERY_LEDGER_H_
#define BELAY_LEDGER_DELIVERY_LEDGER_H_

#include <span>

#include "base/result.h"
#include "ledger/ledger.h"
#include "model/delivery.h"

namespace belay {

class DeliveryLedger;
struct DeliveryFamily : FamilyDefaults {
  using Book = DeliveryBook;
  using LedgerClass = DeliveryLedger;
  static constexpr std::string_view kJournal = "deliveries";
  static constexpr std::string_view kWhyPrefix = "message ";
  static RecordText LogText(const Json& record);
};
using DeliveryLock = FamilyLock<DeliveryFamily>;

class DeliveryLedger : public Ledger<DeliveryFamily> {
 public:
  using Ledger::Ledger;

  // Durable when it returns.
  Result<void> Record(const DeliveryLock& lock, std::span<const Delivery> deliveries);
};

}  // namespace belay

#endif  // BELAY_LEDGER_DELIVERY_LEDGER_H_
