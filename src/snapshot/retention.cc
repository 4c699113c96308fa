#include "snapshot/retention.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

namespace belay {
namespace {

// What is as new as the snapshot or newer.
struct Newest {
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;

  void Add(std::uint64_t more) {
    ++count;
    bytes = more > UINT64_MAX - bytes ? UINT64_MAX : bytes + more;
  }
};

// Empty: it may stay.
std::string WhyExpired(const SavedSnapshot& snapshot, const Newest& newest, WallTime now,
                       const RetentionLimits& limits) {
  if (snapshot.record.at < now && now - snapshot.record.at > limits.age) {
    return fmt::format("older than {}", FormatDuration(limits.age));
  }
  if (newest.count > limits.count) {
    const auto newer = newest.count - 1;
    return fmt::format("{} newer {}", newer, newer == 1 ? "one" : "ones");
  }
  if (newest.bytes > limits.bytes) {
    return fmt::format("with newer ones over {} MiB", limits.bytes >> 20U);
  }
  return {};
}

}  // namespace

std::vector<Expired> ChooseExpired(std::span<const SavedSnapshot> snapshots, WallTime now,
                                   const RetentionLimits& limits,
                                   const std::set<ObjectId>& named_commits) {
  std::vector<Expired> expired;
  Newest newest;
  bool has_last = false;
  for (std::size_t i = snapshots.size(); i > 0; --i) {
    const SavedSnapshot& snapshot = snapshots[i - 1];
    newest.Add(snapshot.record.bytes);
    if (!snapshot.readable) continue;
    const bool last = !std::exchange(has_last, true);
    if (last || named_commits.contains(snapshot.commit)) continue;
    std::string reason = WhyExpired(snapshot, newest, now, limits);
    if (!reason.empty()) expired.push_back({snapshot, std::move(reason)});
  }
  std::reverse(expired.begin(), expired.end());
  return expired;
}

}  // namespace belay
