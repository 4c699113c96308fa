// Decides when a silent agent is hung. Pure: a state machine over the observations at each look at
// an agent (about once a minute).
//
// clang-format off
//   state     observed at a sample                                      then
//   -------   -----------------------------------------------------   ------------------------------
//   any       activity since the last sample                            calm; if it was suspect: alive again
//   any       the clock jumped or we were not running (see below)     the same, and the silence restarts
//   any       it is waiting (idle at its prompt, rate limit, login),  calm
//             starting, handing over, or has ended
//   calm      silent for more than 5 min                              suspect; first probe
//   suspect   fewer than three probes saw nothing                     next probe at the next sample
//   suspect   the third probe saw nothing too                         hung: act as the policy says, once
// clang-format on
//
// A probe combines three independent signs: the CPU time of its processes, the output on its screen
// (the log), the state of its worktree and git. Each sample compares all three with the previous
// sample; a probe has "seen nothing" only if none of them changed.
//
// A sample much later than it was due, or a boot clock that ran further than the monotonic one,
// means a suspended or stopped machine or guardian: everything starts over. So it does at a
// guardian's first sample.

#ifndef BELAY_ENGINE_SUPERVISE_HUNG_AGENT_H_
#define BELAY_ENGINE_SUPERVISE_HUNG_AGENT_H_

#include <cstdint>
#include <optional>

#include "base/time.h"
#include "model/identity.h"

namespace belay {

// Three independent signs of an agent's activity; equal values mean that nothing happened.
struct Fingerprint {
  std::uint64_t processor_ticks = 0;  // of its whole process tree, ended ones included
  std::uint64_t screen_bytes = 0;     // ever written to its terminal
  std::uint64_t work = 0;             // a digest of timestamps: index, HEAD, worktree folder

  bool operator==(const Fingerprint&) const = default;
};

struct Sample {
  Fingerprint seen = {};
  AgentStatus status = AgentStatus::kAlive;  // as recorded
  bool reported = false;  // it reported something since the last sample: a note, a signal, an event
  MonotonicTime now = {};
  BootTime boot = {};
  Duration planned = {};  // the planned time since the last sample
};

struct SuspicionLimits {
  Duration silent_after = std::chrono::minutes(5);
  int probes = 3;
};

struct Suspicion {
  std::optional<Fingerprint> last = {};
  MonotonicTime last_sample = {};
  BootTime last_boot = {};
  MonotonicTime active_at = {};  // or start of watching
  int probes = 0;                // consecutive ones that saw nothing, while suspect
  bool acted = false;
};

enum class SuspicionAction {
  kNone,
  kSuspect,     // record the status
  kAliveAgain,  // record the status
  kProbe,       // one more saw nothing: record it
  kHung,        // all three saw nothing: act
};

struct SuspicionStep {
  Suspicion next = {};
  SuspicionAction action = SuspicionAction::kNone;
  bool active = false;  // something happened since the last sample
  bool clock_jumped = false;
};

// A few ticks of CPU time are no activity: idle programs wake up now and then.
SuspicionStep Consider(const SuspicionLimits& limits, const Suspicion& state, const Sample& sample);

// When to sample a running agent, and when to record that. Pure.
//
//   - at least every 24 s, so that a change of phase shows in 30 s; as often as snapshots are
//   wanted
//     while it is active; a suspect agent only once a heartbeat, so that it has more time
//   - at one of a few moments that all agents share: so many agents cost one wake-up
//   - the guardian records that it is alive as often as `last_seen` has to be renewed, once a
//     heartbeat

class SampleSchedule {
 public:
  SampleSchedule(Duration heartbeat, Duration snapshot_every);

  // The first look at a newly found agent; `random` spreads agents that are found together.
  MonotonicTime First(MonotonicTime now, std::uint64_t random) const;
  MonotonicTime Next(MonotonicTime now, AgentStatus status, bool active) const;

  // Whether a sample that saw nothing must be recorded, if the next one is at `next`.
  bool MustRecord(MonotonicTime recorded, MonotonicTime next) const;

 private:
  MonotonicTime Shared(MonotonicTime at) const;

  Duration heartbeat_;
  Duration snapshot_every_;
  Duration every_;
  Duration slot_;  // between two shared moments
};

}  // namespace belay

#endif  // BELAY_ENGINE_SUPERVISE_HUNG_AGENT_H_
