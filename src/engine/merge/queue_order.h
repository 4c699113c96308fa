// The order of the queue. Pure.
//
// Higher priority goes first; every entry gains one point for each `ageing` of waiting, so that
// none waits forever; equal entries keep the order of adding. Entries in progress are finished
// first. An entry waits until its dependencies are merged, and others overtake it. If a dependency
// was cancelled, a new entry of the same branch and target replaces it; without one, the entry can
// never land.

#ifndef BELAY_ENGINE_MERGE_QUEUE_ORDER_H_
#define BELAY_ENGINE_MERGE_QUEUE_ORDER_H_

#include <cstdint>
#include <set>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "model/merge_entry.h"

namespace belay {

constexpr Duration kMergeAgeing = std::chrono::minutes(30);

struct QueuePlace {
  const MergeEntry* entry;                    // in the book, which outlives this
  std::vector<std::uint64_t> waits_for = {};  // the dependencies that aren't merged
};

// All queued entries of that target, the next one first; entries with open dependencies keep the
// position that they would have without them.
std::vector<QueuePlace> QueueOrder(const MergeBook& book, std::string_view target, WallTime now);

// Queued entries of that target whose dependency can never land, and that dependency.
struct LostWait {
  const MergeEntry* entry;
  std::uint64_t waits_for;
};
std::vector<LostWait> LostWaits(const MergeBook& book, std::string_view target);

// Whether that entry depends, directly or indirectly, on that branch, or would if it were queued.
bool WaitsForBranch(const MergeBook& book, std::uint64_t number, std::string_view branch,
                    std::string_view target);

// The first entry that waits for no other and isn't in `without`; null when there is none.
const MergeEntry* NextEntry(const MergeBook& book, std::string_view target, WallTime now,
                            const std::set<std::uint64_t>& without = {});

struct MergeRow {
  const MergeEntry* entry;                   // of the book, which outlives the row
  std::optional<std::size_t> position = {};  // in the queue, from 1
  std::vector<std::uint64_t> waits_for = {};
};

// The queued entries in their order, then the parked ones; with `all` also the finished ones.
std::vector<MergeRow> MergeRows(const MergeBook& book, WallTime now, bool all);

}  // namespace belay

#endif  // BELAY_ENGINE_MERGE_QUEUE_ORDER_H_
