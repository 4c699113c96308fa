// The one place that writes the journal "resumption". Its lock also serialises all updates of
// resumption documents by belay.
//
// An update is one durable record, "update", and the replaced document. That it was applied is only
// noted (Layout::ResumptionDone), without a sync: the next record brings it into the journal. If a
// power cut takes the note, the next updater looks at the document.

#ifndef BELAY_LEDGER_RESUMPTION_LEDGER_H_
#define BELAY_LEDGER_RESUMPTION_LEDGER_H_

#include <string_view>
#include <vector>

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
  static constexpr const RecordFormat& kFormat = kResumptionFormat;
  // Every update reads it: at this size, that takes a tenth of the time of an update.
  static constexpr std::uint64_t kSmallestCompacted = std::uint64_t{24} << 10U;
  static RecordText LogText(const Json& record);
};
using ResumptionLock = FamilyLock<ResumptionFamily>;

class ResumptionLedger : public Ledger<ResumptionFamily> {
 public:
  using Ledger::Ledger;

  // CatchUp, with what was only noted.
  Result<void> CatchUpWithNote();

  // Durable when they return, except for the note.
  Result<void> RecordUpdate(const ResumptionLock& lock, std::string_view document,
                            const UnsureEvent& update);
  void NoteApplied(const ResumptionLock& lock, std::string_view document,
                   const AppliedEvent& event);
  Result<void> RecordApplied(const ResumptionLock& lock, std::string_view document,
                             const AppliedEvent& event);
  Result<void> RecordWithdrawn(const ResumptionLock& lock, std::string_view document,
                               std::string_view id);
  Result<void> RecordWaiting(const ResumptionLock& lock, std::string_view document,
                             const StoredEvent& event);

 private:
  Result<void> AppendWithNoted(const ResumptionLock& lock, Json record);

  std::vector<Json> noted_;  // in the book, and not in the journal yet
};

}  // namespace belay

#endif  // BELAY_LEDGER_RESUMPTION_LEDGER_H_
