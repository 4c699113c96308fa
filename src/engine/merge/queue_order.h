// Whose turn it is. Pure.
//
// More priority is sooner; everybody gains one for each `ageing` of waiting, so that nobody waits
// for good; equals come in the order of adding. Whoever was begun is finished first. An entry waits
// for those that it depends on until they are merged, and others pass it meanwhile. If one of them
// was cancelled, whoever brings the same branch to the same target again stands for it; if nobody
// does, the wait is for nothing.

#ifndef BELAY_ENGINE_MERGE_QUEUE_ORDER_H_
#define BELAY_ENGINE_MERGE_QUEUE_ORDER_H_

#include <cstdint>
#include <set>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "model/merge_book.h"

namespace belay {

constexpr Duration kMergeAgeing = std::chrono::minutes(30);

struct QueuePlace {
  const MergeEntry* entry;                    // of the book, which outlives this
  std::vector<std::uint64_t> waits_for = {};  // those of depends_on that aren't merged
};

// All that are in line for that target, the next one first; those that wait for another are where
// they would be without it.
std::vector<QueuePlace> QueueOrder(const MergeBook& book, std::string_view target, WallTime now);

// Those in line for that target that wait for nothing, with what for.
struct LostWait {
  const MergeEntry* entry;
  std::uint64_t waits_for;
};
std::vector<LostWait> LostWaits(const MergeBook& book, std::string_view target);

// Whether that entry waits, over however many others, for that branch, or would if it came.
bool WaitsForBranch(const MergeBook& book, std::uint64_t number, std::string_view branch,
                    std::string_view target);

// The first that waits for nobody and isn't among `without`; null when there is none.
const MergeEntry* NextInLine(const MergeBook& book, std::string_view target, WallTime now,
                             const std::set<std::uint64_t>& without = {});

struct MergeRow {
  const MergeEntry* entry;                   // of the book, which outlives the row
  std::optional<std::size_t> position = {};  // in line, from 1
  std::vector<std::uint64_t> waits_for = {};
};

// Those in line in their order, then the parked; with `all` those that are finished, too.
std::vector<MergeRow> MergeRows(const MergeBook& book, WallTime now, bool all);

}  // namespace belay

#endif  // BELAY_ENGINE_MERGE_QUEUE_ORDER_H_
