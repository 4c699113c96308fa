#include "engine/supervise/look_schedule.h"

#include <algorithm>

namespace belay {
namespace {

constexpr Duration kEvery = std::chrono::seconds(24);  // and a slot more at most
constexpr int kSlots = 6;
constexpr Duration kShortestSlot = std::chrono::milliseconds(1);

}  // namespace

LookSchedule::LookSchedule(Duration heartbeat, Duration snapshot_every)
    : heartbeat_(heartbeat),
      snapshot_every_(snapshot_every),
      every_(std::min(kEvery, heartbeat)),
      slot_(std::max(every_ / kSlots, kShortestSlot)) {}

// The next one at or after it.
MonotonicTime LookSchedule::Shared(MonotonicTime at) const {
  const Duration over = at.time_since_epoch() % slot_;
  return over == Duration::zero() ? at : at + (slot_ - over);
}

MonotonicTime LookSchedule::First(MonotonicTime now, std::uint64_t random) const {
  return Shared(now + slot_ * static_cast<int>(1 + random % kSlots));
}

MonotonicTime LookSchedule::Next(MonotonicTime now, AgentStatus status, bool active) const {
  if (status == AgentStatus::kSuspect) return Shared(now + heartbeat_);
  return Shared(now + (active ? std::min(every_, snapshot_every_) : every_));
}

bool LookSchedule::MustRecord(MonotonicTime recorded, MonotonicTime next) const {
  return next - recorded > heartbeat_;
}

}  // namespace belay
