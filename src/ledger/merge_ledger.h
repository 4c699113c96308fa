// The one place that writes the merge queue: the journal "merge-queue", and its rendering
// merge-queue.json, which is never read back.

#ifndef BELAY_LEDGER_MERGE_LEDGER_H_
#define BELAY_LEDGER_MERGE_LEDGER_H_

#include <functional>
#include <string_view>

#include "base/result.h"
#include "ledger/ledger.h"
#include "model/merge_entry.h"
#include "store/layout.h"

namespace belay {

class MergeLedger;
struct MergeFamily : FamilyDefaults {
  using Book = MergeBook;
  using LedgerClass = MergeLedger;
  static constexpr std::string_view kJournal = "merge-queue";
  static constexpr Following kFollow = Following::kWhole;
  static Result<void> EachRendering(const Book& book, const Layout& project,
                                    const RenderingSink& sink);
  static RecordText LogText(const Json& record);
  // The commits of open entries: a queued commit may be a snapshot's.
  static void EachNamedSnapshot(const Book& book, const SnapshotNameSink& sink);
};
using MergeLock = FamilyLock<MergeFamily>;

class MergeLedger : public Ledger<MergeFamily> {
 public:
  using Ledger::Ledger;

  // On the disk when it returns, with its number. kRefused if an unfinished entry has the same
  // branch and target, see MergeBook::FindOpen.
  Result<MergeEntry> Add(const MergeLock& lock, MergeEntry entry, std::string_view why);
  // Catches up, lets `edit` change the entry and its target, and records both together. `edit` gets
  // them as they are now, which may not be what the caller saw, and can refuse. kNotFound when
  // there is none.
  using Edit = std::function<Result<void>(MergeEntry&, MergeTarget&)>;
  Result<MergeEntry> Change(const MergeLock& lock, std::uint64_t number, std::string_view why,
                            const Edit& edit);
  Result<MergeTarget> ChangeTarget(const MergeLock& lock, std::string_view branch,
                                   std::string_view why,
                                   const std::function<void(MergeTarget&)>& edit);
  // Counts one more run of a gate.
  Result<void> CountGate(const MergeLock& lock, std::string_view name, bool flaky);
};

}  // namespace belay

#endif  // BELAY_LEDGER_MERGE_LEDGER_H_
