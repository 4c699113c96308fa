#include "ledger/merge_ledger.h"

#include <fmt/core.h>

#include "ledger/state_file.h"
#include "store/durable_file.h"

namespace belay {

MergeLedger::MergeLedger(FileSystem& files, const Clock& clock, const Layout& project)
    : files_(files), clock_(clock), project_(project), journal_(files, project, kMergeJournal) {}

Result<StateLock> MergeLedger::Lock(FileSystem& files, const Layout& project, Duration limit) {
  return LockJournal(files, project, kMergeJournal, limit);
}

JournalFollower MergeLedger::Follower() {
  return {.forget = [this] { book_.Forget(); },
          .record = [this](std::uint64_t, const Json& record) { book_.Apply(record); }};
}

Result<void> MergeLedger::CatchUp() { return journal_.CatchUp(Follower()); }

Result<void> MergeLedger::Append(const StateLock& lock, const Json& record) {
  return journal_.Append(lock, {&record, 1}, Follower());
}

Result<MergeEntry> MergeLedger::Add(const StateLock& lock, MergeEntry entry, std::string_view why) {
  BELAY_TRY(CatchUp());
  if (const MergeEntry* open = book_.FindOpen(entry.branch, entry.target)) {
    return Error{ErrorCode::kRefused, fmt::format("{} is in the queue for {} already, as {}",
                                                  entry.branch, entry.target, open->id())};
  }
  entry.number = book_.NextNumber();
  entry.requested_at = entry.changed_at = clock_.Wall();
  BELAY_TRY(Append(lock, EntryRecord(clock_.Wall(), why, entry)));
  return *book_.Find(entry.number);
}

Result<MergeEntry> MergeLedger::Change(const StateLock& lock, std::uint64_t number,
                                       std::string_view why, const Edit& edit) {
  BELAY_TRY(CatchUp());
  const MergeEntry* known = book_.Find(number);
  if (known == nullptr) {
    return Error{ErrorCode::kNotFound, fmt::format("there is no entry m{}", number),
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
  BELAY_TRY(journal_.Append(lock, records, Follower()));
  return *book_.Find(number);
}

Result<MergeTarget> MergeLedger::ChangeTarget(const StateLock& lock, std::string_view branch,
                                              std::string_view why,
                                              const std::function<void(MergeTarget&)>& edit) {
  BELAY_TRY(CatchUp());
  const MergeTarget before = book_.Target(branch);
  MergeTarget target = before;
  edit(target);
  if (target == before) return before;
  BELAY_TRY(Append(lock, TargetRecord(clock_.Wall(), why, target)));
  return book_.Target(branch);
}

Result<void> MergeLedger::CountGate(const StateLock& lock, std::string_view name, bool flaky) {
  BELAY_TRY(CatchUp());
  GateHistory history = book_.Gate(name);
  ++history.runs;
  if (flaky) ++history.flakes;
  return Append(lock, GateRecord(clock_.Wall(), name, history));
}

Result<void> MergeLedger::Render(const StateLock& lock) {
  BELAY_TRY(CatchUp());
  BELAY_TRY(RemoveLeftoversOf(files_, project_.MergeRendering()));
  return UpdateStateFile(files_, lock, project_, project_.MergeRendering(), MergeRendering(book_),
                         {});
}

Result<bool> MergeLedger::CompactIfLarge(const StateLock& lock) {
  BELAY_TRY(CatchUp());
  if (book_.unreadable() > 0) return false;
  return journal_.CompactIfLarge(lock, Follower(), [&] { return book_.Snapshot(clock_.Wall()); });
}

}  // namespace belay
