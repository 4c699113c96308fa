#include "engine/merge/queue_order.h"

#include <algorithm>
#include <tuple>

namespace belay {
namespace {

std::int64_t EffectivePriority(const MergeEntry& entry, WallTime now) {
  const Duration waited = std::max(now - entry.requested_at, Duration::zero());
  return entry.priority + waited / kMergeAgeing;
}

bool IsFirst(const MergeEntry& entry) {
  return IsBegun(entry.status) || entry.status == MergeStatus::kTargetMoved;
}

std::vector<std::uint64_t> WaitsFor(const MergeBook& book, const MergeEntry& entry) {
  std::vector<std::uint64_t> missing;
  for (const std::uint64_t number : entry.depends_on) {
    const MergeEntry* other = book.Find(number);
    if (other == nullptr || other->status != MergeStatus::kMerged) missing.push_back(number);
  }
  return missing;
}

}  // namespace

std::vector<QueuePlace> QueueOrder(const MergeBook& book, std::string_view target, WallTime now) {
  std::vector<QueuePlace> places;
  for (const auto& [number, entry] : book.entries()) {
    if (entry.target != target || !IsInLine(entry.status)) continue;
    places.push_back({&entry, WaitsFor(book, entry)});
  }
  std::ranges::sort(places, {}, [&](const QueuePlace& place) {
    const MergeEntry& entry = *place.entry;
    return std::tuple(!IsFirst(entry), -EffectivePriority(entry, now), entry.number);
  });
  return places;
}

const MergeEntry* NextInLine(const MergeBook& book, std::string_view target, WallTime now) {
  for (const QueuePlace& place : QueueOrder(book, target, now)) {
    if (place.waits_for.empty()) return place.entry;
  }
  return nullptr;
}

}  // namespace belay
