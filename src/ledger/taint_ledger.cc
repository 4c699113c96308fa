#include "ledger/taint_ledger.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/utf8.h"
#include "ledger/state_file.h"
#include "store/durable_file.h"

namespace belay {
namespace {

bool Lacks(const Taint& known, const Taint& before) {
  return known.state == TaintState::kClean ||
         !std::all_of(before.sources.begin(), before.sources.end(),
                      [&](const TaintSource& source) { return HasSource(known, source); });
}

}  // namespace

TaintLedger::TaintLedger(FileSystem& files, const Clock& clock, const Layout& project)
    : files_(files), clock_(clock), project_(project), journal_(files, project, kTaintJournal) {}

Result<StateLock> TaintLedger::Lock(FileSystem& files, const Layout& project, Duration limit) {
  return LockJournal(files, project, kTaintJournal, limit);
}

JournalFollower TaintLedger::Follower() {
  return {.forget = [this] { book_.Forget(); },
          .record = [this](std::uint64_t, const Json& record) { book_.Apply(record); }};
}

Result<void> TaintLedger::CatchUp() { return journal_.CatchUp(Follower()); }

Result<Taint> TaintLedger::Begin(const StateLock& lock, std::string_view session,
                                 std::optional<std::string_view> predecessor) {
  BELAY_TRY(CatchUp());
  const std::string name = ReplaceInvalidUtf8(session);
  std::vector<Json> records;
  const Taint* known = book_.Find(name);
  const Taint before = predecessor ? book_.OfKnown(ReplaceInvalidUtf8(*predecessor)) : Taint();
  // Also of one that is known: what came before it may have been marked since.
  if (before.state == TaintState::kTainted && (known == nullptr || Lacks(*known, before))) {
    records.push_back(InheritedRecord(clock_.Wall(), name, *predecessor, before));
  } else if (known == nullptr) {
    records.push_back(BeganRecord(clock_.Wall(), name));
  }
  // Also when there is nothing to add: whoever recorded it may have been killed before it was safe.
  BELAY_TRY(journal_.Append(lock, records, Follower()));
  return book_.OfKnown(name);
}

Result<Taint> TaintLedger::Mark(const StateLock& lock, std::string_view session,
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
  BELAY_TRY(journal_.Append(lock, records, Follower()));
  return book_.OfKnown(name);
}

Result<void> TaintLedger::Render(const StateLock& lock) {
  BELAY_TRY(CatchUp());
  BELAY_TRY(RemoveLeftoversOf(files_, project_.TaintRendering()));
  return UpdateStateFile(files_, lock, project_, project_.TaintRendering(), TaintRendering(book_),
                         {});
}

Result<bool> TaintLedger::CompactIfLarge(const StateLock& lock) {
  BELAY_TRY(CatchUp());
  if (book_.unreadable() > 0) return false;
  return journal_.CompactIfLarge(lock, Follower(), [&] { return book_.Snapshot(clock_.Wall()); });
}

}  // namespace belay
