// When an agent that runs is looked at, and when that is recorded. Pure.
//
//   - every 24 s at most, so that a change of phase shows in 30 s; as often as snapshots are wanted
//     while it does something; one that is suspect at every heartbeat only, so that it has more
//     time
//   - at one of a few moments that all agents share: so many of them cost one wake-up
//   - that it is alive is recorded as often as `last_seen` has to be renewed, once a heartbeat

#ifndef BELAY_ENGINE_SUPERVISE_LOOK_SCHEDULE_H_
#define BELAY_ENGINE_SUPERVISE_LOOK_SCHEDULE_H_

#include <cstdint>

#include "base/time.h"
#include "model/identity.h"

namespace belay {

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

#endif  // BELAY_ENGINE_SUPERVISE_LOOK_SCHEDULE_H_
