#include "ledger/resumption_ledger.h"

#include <fmt/core.h>

namespace belay {

RecordText ResumptionFamily::LogText(const Json& record) {
  RecordText text = KindAndWhy(record);
  const Json* event = record.Find("event");
  const std::string trigger = TextIn(event == nullptr ? record : *event, "trigger");
  text.who = TextIn(record, "agent");
  if (!trigger.empty()) text.what = fmt::format("{} {}", trigger, text.what);
  text.why = TextIn(record, "document");
  return text;
}

Result<void> ResumptionLedger::RecordApplied(const ResumptionLock& lock, std::string_view document,
                                             const AppliedEvent& event) {
  return AppendOne(lock, AppliedRecord(document, event));
}

Result<void> ResumptionLedger::RecordWaiting(const ResumptionLock& lock, std::string_view document,
                                             const StoredEvent& event) {
  return AppendOne(lock, WaitingRecord(clock_.Wall(), document, event));
}

}  // namespace belay
