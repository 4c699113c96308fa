// The one place that writes the journal "resumption". Its lock also serialises all updates of
// resumption documents by belay.

#ifndef BELAY_LEDGER_RESUMPTION_LEDGER_H_
#define BELAY_LEDGER_RESUMPTION_LEDGER_H_

#include <string_view>

#include "base/result.h"
#include "ledger/ledger.h"
#include "model/resumption_log.h"

namespace belay {

class ResumptionLedger;
struct ResumptionFamily : FamilyDefaults {
  using Book = ResumptionBook;
  using LedgerClass = ResumptionLedger;
  static constexpr std::string_view kJournal = "resumption";
  static constexpr std::string_view kWhyPrefix = "resumption ";
  static RecordText LogText(const Json& record);
};
using ResumptionLock = FamilyLock<ResumptionFamily>;

class ResumptionLedger : public Ledger<ResumptionFamily> {
 public:
  using Ledger::Ledger;

  // Both durable when they return.
  Result<void> RecordApplied(const ResumptionLock& lock, std::string_view document,
                             const AppliedEvent& event);
  Result<void> RecordWaiting(const ResumptionLock& lock, std::string_view document,
                             const StoredEvent& event);
};

}  // namespace belay

#endif  // BELAY_LEDGER_RESUMPTION_LEDGER_H_
