#include "ledger/resumption_ledger.h"

#include <fmt/core.h>

#include <utility>

#include "codec/json_lines.h"
#include "store/durable_file.h"

namespace belay {
namespace {

constexpr std::size_t kLongestNote = std::size_t{1} << 20U;

}  // namespace

RecordText ResumptionFamily::LogText(const Json& record) {
  RecordText text = KindAndWhy(record);
  const Json* event = record.Find("event");
  const std::string trigger = TextIn(event == nullptr ? record : *event, "trigger");
  text.who = TextIn(record, "agent");
  if (!trigger.empty()) text.what = fmt::format("{} {}", trigger, text.what);
  text.why = TextIn(record, "document");
  return text;
}

// The note must be about this very update: an event may be begun again.
Result<void> ResumptionLedger::CatchUpWithNote() {
  BELAY_TRY(CatchUp());
  const Result<std::string> text = files_.Read(project_.ResumptionDone(), kLongestNote);
  if (!text) return {};
  Result<Json> record = ParseJsonLine(std::string_view(*text).substr(0, text->find('\n')));
  const Result<AppliedEvent> event = record ? AppliedFromJson(*record) : record.error();
  const DocumentLog* log = event ? book_.Find(TextIn(*record, "document")) : nullptr;
  if (log == nullptr || !log->unsure || !(log->unsure->Applied() == *event)) return {};
  book_.Apply(*record);
  noted_.push_back(*std::move(record));
  return {};
}

Result<void> ResumptionLedger::AppendWithNoted(const ResumptionLock& lock, Json record) {
  std::vector<Json> records = std::exchange(noted_, {});
  records.push_back(std::move(record));
  Result<void> appended = Append(lock, records);
  records.pop_back();
  if (!appended) noted_ = std::move(records);
  return appended;
}

Result<void> ResumptionLedger::RecordUpdate(const ResumptionLock& lock, std::string_view document,
                                            const UnsureEvent& update) {
  return AppendWithNoted(lock, UpdateRecord(clock_.Wall(), document, update));
}

// Where the note can't be written, the next process looks at the document.
void ResumptionLedger::NoteApplied(const ResumptionLock&, std::string_view document,
                                   const AppliedEvent& event) {
  Json record = AppliedRecord(document, event);
  std::string line;
  Result<File> note = files_.OpenForWriting(project_.ResumptionDone(), kPrivateFile);
  if (note && AppendJsonLine(record, line)) (void)note->Write(line);
  book_.Apply(record);
  noted_.push_back(std::move(record));
}

Result<void> ResumptionLedger::RecordApplied(const ResumptionLock& lock, std::string_view document,
                                             const AppliedEvent& event) {
  return AppendWithNoted(lock, AppliedRecord(document, event));
}

Result<void> ResumptionLedger::RecordWithdrawn(const ResumptionLock& lock,
                                               std::string_view document, std::string_view id) {
  return AppendWithNoted(lock, WithdrawnRecord(clock_.Wall(), document, id));
}

Result<void> ResumptionLedger::RecordWaiting(const ResumptionLock& lock, std::string_view document,
                                             const StoredEvent& event) {
  return AppendWithNoted(lock, WaitingRecord(clock_.Wall(), document, event));
}

}  // namespace belay
