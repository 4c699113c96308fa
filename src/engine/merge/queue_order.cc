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
  return IsBegun(entry.status) || IsWaiting(entry.status) ||
         entry.status == MergeStatus::kTargetMoved;
}

// The entry of that number, or its present replacement; null: there is none.
const MergeEntry* Standing(const MergeBook& book, std::uint64_t number) {
  const MergeEntry* named = book.Find(number);
  if (named == nullptr || named->status != MergeStatus::kCancelled) return named;
  const MergeEntry* latest = nullptr;
  for (const auto& [later, entry] : book.entries()) {
    const bool again =
        later > number && entry.branch == named->branch && entry.target == named->target;
    if (again && entry.status != MergeStatus::kCancelled) latest = &entry;
  }
  return latest;
}

std::vector<std::uint64_t> WaitsFor(const MergeBook& book, const MergeEntry& entry) {
  std::vector<std::uint64_t> missing;
  for (const std::uint64_t number : entry.depends_on) {
    const MergeEntry* other = Standing(book, number);
    if (other != nullptr && other->status == MergeStatus::kMerged) continue;
    missing.push_back(other != nullptr ? other->number : number);
  }
  return missing;
}

}  // namespace

std::vector<QueuePlace> QueueOrder(const MergeBook& book, std::string_view target, WallTime now) {
  std::vector<QueuePlace> places;
  for (const auto& [number, entry] : book.entries()) {
    if (entry.target != target || !IsInQueue(entry.status)) continue;
    places.push_back({&entry, WaitsFor(book, entry)});
  }
  std::ranges::sort(places, {}, [&](const QueuePlace& place) {
    const MergeEntry& entry = *place.entry;
    return std::tuple(!IsFirst(entry), -EffectivePriority(entry, now), entry.number);
  });
  return places;
}

std::vector<LostWait> LostWaits(const MergeBook& book, std::string_view target) {
  std::vector<LostWait> lost;
  for (const auto& [number, entry] : book.entries()) {
    // An entry that was begun had no open dependencies then.
    const bool begun = IsBegun(entry.status) || IsWaiting(entry.status);
    if (entry.target != target || !IsInQueue(entry.status) || begun) continue;
    for (const std::uint64_t other : entry.depends_on) {
      if (Standing(book, other) != nullptr) continue;
      lost.push_back({&entry, other});
      break;
    }
  }
  return lost;
}

bool WaitsForBranch(const MergeBook& book, std::uint64_t number, std::string_view branch,
                    std::string_view target) {
  std::set<std::uint64_t> seen;
  std::vector<std::uint64_t> left = {number};
  while (!left.empty()) {
    const std::uint64_t next = left.back();
    left.pop_back();
    const MergeEntry* named = book.Find(next);
    const MergeEntry* entry = Standing(book, next);
    const bool landed = entry != nullptr && entry->status == MergeStatus::kMerged;
    if (named == nullptr || landed || !seen.insert(next).second) continue;
    if (named->branch == branch && named->target == target) return true;
    if (entry != nullptr) {
      left.insert(left.end(), entry->depends_on.begin(), entry->depends_on.end());
    }
  }
  return false;
}

const MergeEntry* NextEntry(const MergeBook& book, std::string_view target, WallTime now,
                            const std::set<std::uint64_t>& without) {
  for (const QueuePlace& place : QueueOrder(book, target, now)) {
    if (place.waits_for.empty() && !without.contains(place.entry->number)) return place.entry;
  }
  return nullptr;
}

std::vector<MergeRow> MergeRows(const MergeBook& book, WallTime now, bool all) {
  std::vector<MergeRow> rows;
  std::set<std::string> targets;
  for (const auto& [number, entry] : book.entries()) targets.insert(entry.target);
  for (const std::string& target : targets) {
    std::size_t position = 0;
    for (QueuePlace& place : QueueOrder(book, target, now)) {
      rows.push_back({place.entry, ++position, std::move(place.waits_for)});
    }
  }
  for (const auto& [number, entry] : book.entries()) {
    if (IsParked(entry.status)) rows.push_back({&entry});
  }
  for (const auto& [number, entry] : book.entries()) {
    if (all && IsFinished(entry.status)) rows.push_back({&entry});
  }
  return rows;
}

}  // namespace belay
