#include "engine/supervise/hung_agent.h"

#include <algorithm>

namespace belay {
namespace {

constexpr std::uint64_t kIdleTicksPerMinute = 20;
constexpr std::uint64_t kIdleTicks = 2;  // however short the time
constexpr Duration kLateness = std::chrono::seconds(30);
constexpr Duration kSleep = std::chrono::seconds(5);

bool ClockJumped(const Suspicion& state, const Sample& sample) {
  const Duration passed = sample.now - state.last_sample;
  const Duration slept = sample.boot - state.last_boot - passed;
  return passed < Duration::zero() || slept > kSleep ||
         passed - sample.planned > std::max(kLateness, sample.planned);
}

std::uint64_t IdleTicks(Duration passed) {
  const std::int64_t seconds = std::chrono::duration_cast<std::chrono::seconds>(passed).count();
  const auto whole = static_cast<std::uint64_t>(std::max<std::int64_t>(seconds, 0));
  return std::max(kIdleTicks, whole * kIdleTicksPerMinute / 60);
}

bool ShowsActivity(const Suspicion& state, const Sample& sample) {
  if (sample.reported) return true;
  if (!state.last) return false;
  const Fingerprint& before = *state.last;
  return sample.seen.screen_bytes != before.screen_bytes || sample.seen.work != before.work ||
         (sample.seen.processor_ticks > before.processor_ticks &&
          sample.seen.processor_ticks - before.processor_ticks >
              IdleTicks(sample.now - state.last_sample));
}

bool ShouldWork(AgentStatus status) {
  return status == AgentStatus::kAlive || status == AgentStatus::kSuspect;
}

SuspicionAction Calm(const Suspicion& state, const Sample& sample, Suspicion& next) {
  next.active_at = sample.now;
  next.probes = 0;
  next.acted = false;
  // If another status was recorded since (waiting, ended), it stays.
  const bool suspected = sample.status == AgentStatus::kSuspect ||
                         (state.probes > 0 && sample.status == AgentStatus::kAlive);
  return suspected ? SuspicionAction::kAliveAgain : SuspicionAction::kNone;
}

// No activity of an agent that should work.
SuspicionAction Doubt(const SuspicionLimits& limits, const Sample& sample, Suspicion& next) {
  if (next.acted || sample.now - next.active_at <= limits.silent_after)
    return SuspicionAction::kNone;
  ++next.probes;
  if (next.probes == 1) return SuspicionAction::kSuspect;
  if (next.probes < limits.probes) return SuspicionAction::kProbe;
  next.acted = true;
  return SuspicionAction::kHung;
}

}  // namespace

SuspicionStep Consider(const SuspicionLimits& limits, const Suspicion& state,
                       const Sample& sample) {
  SuspicionStep step;
  step.active = ShowsActivity(state, sample);
  step.clock_jumped = state.last && ClockJumped(state, sample);
  step.next = state;
  step.next.last = sample.seen;
  step.next.last_sample = sample.now;
  step.next.last_boot = sample.boot;
  const bool calm =
      step.active || step.clock_jumped || !state.last.has_value() || !ShouldWork(sample.status);
  step.action = calm ? Calm(state, sample, step.next) : Doubt(limits, sample, step.next);
  return step;
}

namespace {

constexpr Duration kEvery = std::chrono::seconds(24);  // and at most one slot more
constexpr int kSlots = 6;
constexpr Duration kShortestSlot = std::chrono::milliseconds(1);

}  // namespace

SampleSchedule::SampleSchedule(Duration heartbeat, Duration snapshot_every)
    : heartbeat_(heartbeat),
      snapshot_every_(snapshot_every),
      every_(std::min(kEvery, heartbeat)),
      slot_(std::max(every_ / kSlots, kShortestSlot)) {}

// The next shared moment at or after `at`.
MonotonicTime SampleSchedule::Shared(MonotonicTime at) const {
  const Duration over = at.time_since_epoch() % slot_;
  return over == Duration::zero() ? at : at + (slot_ - over);
}

MonotonicTime SampleSchedule::First(MonotonicTime now, std::uint64_t random) const {
  return Shared(now + slot_ * static_cast<int>(1 + random % kSlots));
}

MonotonicTime SampleSchedule::Next(MonotonicTime now, AgentStatus status, bool active) const {
  if (status == AgentStatus::kSuspect) return Shared(now + heartbeat_);
  return Shared(now + (active ? std::min(every_, snapshot_every_) : every_));
}

bool SampleSchedule::MustRecord(MonotonicTime recorded, MonotonicTime next) const {
  return next - recorded > heartbeat_;
}

}  // namespace belay
