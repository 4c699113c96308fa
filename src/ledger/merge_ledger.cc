#include "ledger/merge_ledger.h"

#include <fmt/core.h>

#include "codec/json.h"

namespace belay {

Result<void> MergeFamily::EachRendering(const Book& book, const Layout& project,
                                        const RenderingSink& sink) {
  return sink({project.JournalRendering(kJournal), [&] { return MergeRendering(book); }});
}

// "testing  m3 login: it fits the target"
RecordText MergeFamily::LogText(const Json& record) {
  RecordText text = KindAndWhy(record);
  const Json* entry = record.Find("entry");
  const Json* target = record.Find("target");
  if (entry != nullptr) {
    text.who = TextIn(*entry, "identity_name");
    text.what = TextIn(*entry, "status");
    text.why =
        fmt::format("{} {}: {}", TextIn(*entry, "entry_id"), TextIn(*entry, "branch"), text.why);
  } else if (target != nullptr) {
    text.why = fmt::format("{}: {}", TextIn(*target, "branch"), text.why);
  } else {
    text.why = SingleValues(record);
  }
  return text;
}

void MergeFamily::EachNamedSnapshot(const Book& book, const SnapshotNameSink& sink) {
  for (const auto& [number, entry] : book.entries()) {
    if (!IsFinished(entry.status)) sink(entry.head);
  }
}

Result<MergeEntry> MergeLedger::Add(const MergeLock& lock, MergeEntry entry, std::string_view why) {
  BELAY_TRY(CatchUp());
  if (const MergeEntry* open = book_.FindOpen(entry.branch, entry.target)) {
    return Error{ErrorCode::kRefused, fmt::format("{} is already in the queue for {}, as {}",
                                                  entry.branch, entry.target, open->id())};
  }
  entry.number = book_.NextNumber();
  entry.requested_at = entry.changed_at = clock_.Wall();
  BELAY_TRY(AppendOne(lock, EntryRecord(clock_.Wall(), why, entry)));
  return *book_.Find(entry.number);
}

Result<MergeEntry> MergeLedger::Change(const MergeLock& lock, std::uint64_t number,
                                       std::string_view why, const Edit& edit) {
  BELAY_TRY(CatchUp());
  const MergeEntry* known = book_.Find(number);
  if (known == nullptr) {
    return Error{ErrorCode::kNotFound, fmt::format("no entry m{}", number),
                 "belay merge-queue list --all shows them"};
  }
  const MergeEntry before = *known;
  MergeEntry entry = before;
  const MergeTarget target_before = book_.Target(entry.target);
  MergeTarget target = target_before;
  BELAY_TRY(edit(entry, target));
  if (entry.status != before.status) entry.changed_at = clock_.Wall();
  std::vector<Json> records;
  if (entry != before) records.push_back(EntryRecord(clock_.Wall(), why, entry));
  if (target != target_before) records.push_back(TargetRecord(clock_.Wall(), why, target));
  BELAY_TRY(Append(lock, records));
  return *book_.Find(number);
}

Result<MergeTarget> MergeLedger::ChangeTarget(const MergeLock& lock, std::string_view branch,
                                              std::string_view why,
                                              const std::function<void(MergeTarget&)>& edit) {
  BELAY_TRY(CatchUp());
  const MergeTarget before = book_.Target(branch);
  MergeTarget target = before;
  edit(target);
  if (target == before) return before;
  BELAY_TRY(AppendOne(lock, TargetRecord(clock_.Wall(), why, target)));
  return book_.Target(branch);
}

Result<void> MergeLedger::CountGate(const MergeLock& lock, std::string_view name, bool flaky) {
  BELAY_TRY(CatchUp());
  GateHistory history = book_.Gate(name);
  ++history.runs;
  if (flaky) ++history.flakes;
  return AppendOne(lock, GateRecord(clock_.Wall(), name, history));
}

}  // namespace belay
