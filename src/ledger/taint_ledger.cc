#include "ledger/taint_ledger.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "base/utf8.h"
#include "codec/json.h"

namespace belay {
namespace {

bool Lacks(const Taint& known, const Taint& before) {
  return known.state == TaintState::kClean ||
         !std::all_of(before.sources.begin(), before.sources.end(),
                      [&](const TaintSource& source) { return HasSource(known, source); });
}

}  // namespace

Result<void> TaintFamily::EachRendering(const Book& book, const Layout& project,
                                        const RenderingSink& sink) {
  return sink({project.JournalRendering(kJournal), [&] { return TaintRendering(book); }});
}

RecordText TaintFamily::LogText(const Json& record) {
  RecordText text = KindAndWhy(record);
  text.who = TextIn(record, "session");
  const Json* source = record.Find("source");
  if (text.why.empty() && source != nullptr) {
    text.why = fmt::format("it read {}", TextIn(*source, "path"));
  }
  if (text.what == "inherited") text.why = fmt::format("from {}", TextIn(record, "from"));
  return text;
}

Result<Taint> TaintLedger::Begin(const TaintLock& lock, std::string_view session,
                                 std::optional<std::string_view> predecessor) {
  BELAY_TRY(CatchUp());
  const std::string name = ReplaceInvalidUtf8(session);
  std::vector<Json> records;
  const Taint* known = book_.Find(name);
  const Taint before = predecessor ? book_.OfKnown(ReplaceInvalidUtf8(*predecessor)) : Taint();
  // Also for a known session: its predecessor may have been marked since.
  if (before.state == TaintState::kTainted && (known == nullptr || Lacks(*known, before))) {
    records.push_back(InheritedRecord(clock_.Wall(), name, *predecessor, before));
  } else if (known == nullptr) {
    records.push_back(BeganRecord(clock_.Wall(), name));
  }
  // Also when there is nothing to add: the process that recorded it may have been killed before it
  // was durable.
  BELAY_TRY(Append(lock, records));
  return book_.OfKnown(name);
}

Result<Taint> TaintLedger::Mark(const TaintLock& lock, std::string_view session,
                                TaintSource source) {
  BELAY_TRY(CatchUp());
  const std::string name = ReplaceInvalidUtf8(session);
  if (source.session.empty()) source.session = name;
  source.path = ReplaceInvalidUtf8(source.path);
  source.tool = ReplaceInvalidUtf8(source.tool);
  const Taint* known = book_.Find(name);
  std::vector<Json> records;
  if (known == nullptr || !HasSource(*known, source)) {
    records.push_back(MarkedRecord(clock_.Wall(), name, source));
  }
  BELAY_TRY(Append(lock, records));
  return book_.OfKnown(name);
}

}  // namespace belay
