// Whose turn it is. Pure.
//
// More priority is sooner; everybody gains one for each `ageing` of waiting, so that nobody waits
// for good; equals come in the order of adding. Whoever was begun is finished first. An entry waits
// for those that it depends on until they are merged, and others pass it meanwhile.

#ifndef BELAY_ENGINE_MERGE_QUEUE_ORDER_H_
#define BELAY_ENGINE_MERGE_QUEUE_ORDER_H_

#include <cstdint>
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

// The first that waits for nobody; null when there is none.
const MergeEntry* NextInLine(const MergeBook& book, std::string_view target, WallTime now);

}  // namespace belay

#endif  // BELAY_ENGINE_MERGE_QUEUE_ORDER_H_
