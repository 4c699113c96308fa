#include "engine/supervise/suspicion.h"

#include <algorithm>

namespace belay {
namespace {

constexpr std::uint64_t kIdleTicksPerMinute = 20;
constexpr std::uint64_t kIdleTicks = 2;  // however short the time
constexpr Duration kLateness = std::chrono::seconds(30);
constexpr Duration kSleep = std::chrono::seconds(5);

bool ClockJumped(const Suspicion& state, const Look& look) {
  const Duration passed = look.now - state.last_look;
  const Duration slept = look.boot - state.last_boot - passed;
  return passed < Duration::zero() || slept > kSleep ||
         passed - look.planned > std::max(kLateness, look.planned);
}

std::uint64_t IdleTicks(Duration passed) {
  const std::int64_t seconds = std::chrono::duration_cast<std::chrono::seconds>(passed).count();
  const auto whole = static_cast<std::uint64_t>(std::max<std::int64_t>(seconds, 0));
  return std::max(kIdleTicks, whole * kIdleTicksPerMinute / 60);
}

bool ShowsActivity(const Suspicion& state, const Look& look) {
  if (look.told) return true;
  if (!state.last) return false;
  const Fingerprint& before = *state.last;
  return look.seen.screen_bytes != before.screen_bytes || look.seen.work != before.work ||
         (look.seen.processor_ticks > before.processor_ticks &&
          look.seen.processor_ticks - before.processor_ticks >
              IdleTicks(look.now - state.last_look));
}

bool ShouldWork(AgentStatus status) {
  return status == AgentStatus::kAlive || status == AgentStatus::kSuspect;
}

SuspicionAction Calm(const Suspicion& state, const Look& look, Suspicion& next) {
  next.active_at = look.now;
  next.probes = 0;
  next.acted = false;
  // If another status was recorded since (waiting, ended), it stays.
  const bool suspected = look.status == AgentStatus::kSuspect ||
                         (state.probes > 0 && look.status == AgentStatus::kAlive);
  return suspected ? SuspicionAction::kAliveAgain : SuspicionAction::kNone;
}

// No activity of an agent that should work.
SuspicionAction Doubt(const SuspicionLimits& limits, const Look& look, Suspicion& next) {
  if (next.acted || look.now - next.active_at <= limits.silent_after) return SuspicionAction::kNone;
  ++next.probes;
  if (next.probes == 1) return SuspicionAction::kSuspect;
  if (next.probes < limits.probes) return SuspicionAction::kProbe;
  next.acted = true;
  return SuspicionAction::kHung;
}

}  // namespace

SuspicionStep Consider(const SuspicionLimits& limits, const Suspicion& state, const Look& look) {
  SuspicionStep step;
  step.active = ShowsActivity(state, look);
  step.started_anew = state.last && ClockJumped(state, look);
  step.next = state;
  step.next.last = look.seen;
  step.next.last_look = look.now;
  step.next.last_boot = look.boot;
  const bool calm =
      step.active || step.started_anew || !state.last.has_value() || !ShouldWork(look.status);
  step.action = calm ? Calm(state, look, step.next) : Doubt(limits, look, step.next);
  return step;
}

namespace {

constexpr Duration kEvery = std::chrono::seconds(24);  // and at most one slot more
constexpr int kSlots = 6;
constexpr Duration kShortestSlot = std::chrono::milliseconds(1);

}  // namespace

LookSchedule::LookSchedule(Duration heartbeat, Duration snapshot_every)
    : heartbeat_(heartbeat),
      snapshot_every_(snapshot_every),
      every_(std::min(kEvery, heartbeat)),
      slot_(std::max(every_ / kSlots, kShortestSlot)) {}

// The next shared moment at or after `at`.
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
