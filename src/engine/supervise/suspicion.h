// When silence means something. Pure: a state machine that is fed what was observed at each look at
// an agent (about once a minute) and says what to do.
//
// clang-format off
//   state     observed at a look                                      then
//   -------   -----------------------------------------------------   ------------------------------
//   any       activity since the last look                            calm; if it was suspect: alive again
//   any       the clock jumped or we were not running (see below)     the same, and the silence starts anew
//   any       it is waiting (idle at its prompt, rate limit, login),  calm
//             starting, handing over, or has ended
//   calm      silent for more than 5 min                              suspect; first probe
//   suspect   fewer than three probes saw nothing                     next probe at the next look
//   suspect   the third probe saw nothing too                         hung: act as the policy says, once
// clang-format on
//
// The three probes are independent: what its processes did (CPU time), what its screen showed (the
// log), what its worktree and git show. Each look compares all three with the look before; a probe
// has "seen nothing" only if none of them changed.
//
// A look that comes much later than it was due, or a boot clock that ran further than the monotonic
// one, means a suspended or stopped machine or guardian: everything starts anew. So does the first
// look of a guardian.

#ifndef BELAY_ENGINE_SUPERVISE_SUSPICION_H_
#define BELAY_ENGINE_SUPERVISE_SUSPICION_H_

#include <cstdint>
#include <optional>

#include "base/time.h"
#include "model/identity.h"

namespace belay {

// What three independent witnesses say about an agent; equal values mean nothing happened.
struct Fingerprint {
  std::uint64_t processor_ticks = 0;  // of its whole tree of processes, ended ones included
  std::uint64_t screen_bytes = 0;     // ever written to its terminal
  std::uint64_t work = 0;             // a digest of times: index, HEAD, worktree folder

  bool operator==(const Fingerprint&) const = default;
};

struct Look {
  Fingerprint seen = {};
  AgentStatus status = AgentStatus::kAlive;  // as recorded
  bool told = false;  // it spoke by itself since the last look: a note, a signal, an event
  MonotonicTime now = {};
  BootTime boot = {};
  Duration planned = {};  // how long after the last look this one was meant to be
};

struct SuspicionLimits {
  Duration silent_after = std::chrono::minutes(5);
  int probes = 3;
};

struct Suspicion {
  std::optional<Fingerprint> last = {};
  MonotonicTime last_look = {};
  BootTime last_boot = {};
  MonotonicTime active_at = {};  // or when watching began
  int probes = 0;                // in a row that saw nothing, since it is suspect
  bool acted = false;
};

enum class SuspicionAction {
  kNone,
  kSuspect,     // record the status
  kAliveAgain,  // record the status
  kProbe,       // one more that saw nothing: note it
  kHung,        // all three saw nothing: act
};

struct SuspicionStep {
  Suspicion next = {};
  SuspicionAction action = SuspicionAction::kNone;
  bool active = false;        // something happened since the last look
  bool started_anew = false;  // the clock jumped
};

// A few ticks of CPU time are no activity: programs that wait do wake up now and then.
SuspicionStep Consider(const SuspicionLimits& limits, const Suspicion& state, const Look& look);

// When an agent that runs is looked at, and when that is recorded. Pure.
//
//   - every 24 s at most, so that a change of phase shows in 30 s; as often as snapshots are wanted
//     while it does something; one that is suspect at every heartbeat only, so that it has more
//     time
//   - at one of a few moments that all agents share: so many of them cost one wake-up
//   - that it is alive is recorded as often as `last_seen` has to be renewed, once a heartbeat

class LookSchedule {
 public:
  LookSchedule(Duration heartbeat, Duration snapshot_every);

  // The first look at one that is just found; `random` spreads those that are found together.
  MonotonicTime First(MonotonicTime now, std::uint64_t random) const;
  MonotonicTime Next(MonotonicTime now, AgentStatus status, bool active) const;

  // Whether a look that saw nothing has to be recorded, if the next one is at `next`.
  bool MustRecord(MonotonicTime recorded, MonotonicTime next) const;

 private:
  MonotonicTime Shared(MonotonicTime at) const;

  Duration heartbeat_;
  Duration snapshot_every_;
  Duration every_;
  Duration slot_;  // between two moments that are shared
};

}  // namespace belay

#endif  // BELAY_ENGINE_SUPERVISE_SUSPICION_H_
