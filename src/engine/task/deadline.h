// Deadlines: which one counts, and what the guardian does about it. Pure.
//
// The earliest deadline counts: of the task, of its wave, or the agent's own (spawn --deadline). At
// the wave's, the reason is wave_timeout; at any other one, turn_limit.
//
// clang-format off
//   worker                              warning time isn't there   from the warning on     from the deadline on
//   ---------------------------------   ------------------------   ---------------------   ---------------------
//   runs, or is started again           wait                       warn, once              stop it, if belay
//                                                                                            started it
//   is being stopped                    wait for its end           wait for its end        wait for its end
//   has ended, its task is unfinished   wait                       wait                    sweep
//   was stopped at its deadline, its    sweep                      sweep                   sweep
//     task is unfinished
//   has ended, without a task           nothing                    nothing                 nothing
// clang-format on
//
// A sweep (app/task_sweep.h) suspends such a task for its worker, or makes it pending again.
//
// A deadline is a time in UTC. When the guardian first sees one, it computes the moment on the boot
// clock, which no setting of the date changes and which includes the time that the machine sleeps.
// So setting the date stops no agent early, and after a sleep a passed deadline counts at once.

#ifndef BELAY_ENGINE_TASK_DEADLINE_H_
#define BELAY_ENGINE_TASK_DEADLINE_H_

#include <cstddef>
#include <map>
#include <optional>
#include <string>

#include "base/time.h"
#include "model/identity.h"
#include "model/task.h"

namespace belay {

struct EarliestDeadline {
  WallTime at;
  SuspendReason reason;  // of a suspension at that time

  bool operator==(const EarliestDeadline&) const = default;
};
// Of a worker: its task, and its own as an agent. Null where there is none. A suspended task counts
// for the incarnation that worked on it.
std::optional<EarliestDeadline> DeadlineFor(const TaskBook& book, const Task* task,
                                            const Identity* worker);

// Whether it is stopped, or was, at a deadline while it had this task.
bool HasTimedOut(const Task& task, const Identity& worker);

// The deadlines that were seen, by the boot clock.
class DeadlineClock {
 public:
  // Computed when the deadline is seen for the first time; always the same after that.
  BootTime DueAt(WallTime deadline, WallTime wall, BootTime boot);

 private:
  static constexpr std::size_t kMostKept = 100'000;  // then all are computed again

  std::map<WallTime, BootTime> due_;
};

struct DeadlineFacts {
  BootTime due = {};
  bool runs = false;       // its agent, also one that is starting or will be restarted
  bool stoppable = false;  // belay started it
  bool stopping = false;   // its stop is recorded
  bool warned = false;     // of this deadline
  bool timed_out = false;  // it was stopped at a deadline
  // Its task is in progress and not suspended, or its suspension was interrupted.
  bool unfinished = false;
};

enum class DeadlineAction { kNothing, kWarn, kStop, kSweep };
struct DeadlineStep {
  DeadlineAction action = DeadlineAction::kNothing;
  std::optional<BootTime> next = {};  // when to decide again, if nothing else happens
};
DeadlineStep DecideDeadline(const DeadlineFacts& facts, BootTime now, Duration warning);

// For the worker, as belay's own words. `task` is null without one.
std::string DeadlineWarning(const Task* task, WallTime deadline);

}  // namespace belay

#endif  // BELAY_ENGINE_TASK_DEADLINE_H_
