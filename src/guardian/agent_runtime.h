// What the guardian knows about one incarnation beyond the record: its processes, its timer, its
// last samples. A new guardian can find all of it out again.

#ifndef BELAY_GUARDIAN_AGENT_RUNTIME_H_
#define BELAY_GUARDIAN_AGENT_RUNTIME_H_

#include <optional>
#include <string>

#include "base/ids.h"
#include "base/time.h"
#include "engine/events/event_summary.h"
#include "engine/supervise/hung_agent.h"
#include "engine/supervise/phase_inference.h"
#include "ledger/event_log.h"
#include "os/event_loop.h"
#include "os/process.h"

namespace belay {

// A process that is watched until it ends.
struct WatchedProcess {
  pid_t pid = 0;                        // 0 when no process is watched
  std::optional<Process> process = {};  // until it is gone
  WatchId watch = {};
  bool gone = false;

  bool runs() const { return process && !gone; }
};

struct AgentRuntime {
  explicit AgentRuntime(AgentId incarnation) : id(std::move(incarnation)) {}

  AgentId id;
  WatchedProcess agent = {};
  WatchedProcess exec = {};
  TimerId timer = {};                             // for its next Reconcile
  MonotonicTime timer_at = {};                    // when that is
  int launches = 0;                               // by this guardian
  int failures = 0;                               // in a row, of a step that is retried
  std::optional<MonotonicTime> spawn_until = {};  // from then on its start is late
  std::optional<WallTime> due = {};               // the recorded restart time, when last read
  MonotonicTime due_at = {};                      // the same by our own clock
  std::string trouble = {};                       // why the last restart failed
  bool ending = false;                            // we have asked it to end
  bool end_after_capture = false;                 // we will, once its work is saved
  bool stop_watched = false;                      // a timer checks that a requested stop happens
  bool end_when_started = false;                  // end it as soon as it runs
  bool exec_killed = false;                       // its exec ended without ending its leftovers
  bool exec_noted = false;                        // it is recorded that it waits for its exec
  bool orphans_ended = false;
  bool person_notified = false;                    // the person was notified of its end
  bool end_reported = false;                       // its end is about to be recorded
  std::optional<MonotonicTime> ending_until = {};  // it is gone, and its exec will record how

  // Snapshots of its work.
  bool capturing = false;
  bool captures_end = false;        // the current one started after the agent's end
  bool captured = false;            // since the agent's end
  bool captured_with_exec = false;  // the current one started while its exec was running
  MonotonicTime captured_at = {};
  int failed_captures = 0;        // since the agent's end
  std::string lack = {};          // why the last one failed
  std::string capture_next = {};  // the message of the next one, after the current one

  // Samples, while it runs.
  Suspicion suspicion = {};
  PhaseMemory phases = {};
  std::optional<WorkPhase> phase = {};  // the last one in its hook record
  std::string head = {};                // the commit of its last snapshot
  bool reported = false;                // it reported something since the last sample
  std::size_t said = 0;                 // number of notes and phases when last counted
  bool tests_run = false;               // at the last sample
  bool was_waiting = false;             // at the last sample
  std::uint64_t run_time = 0;           // of its processes, at the last sample
  bool stirred = false;                 // it was active at the last sample
  Duration planned = {};                // until the next sample
  MonotonicTime seen_at = {};           // when a sample was last recorded
  std::string git_folder = {};          // of its worktree

  // Events from its hooks, if it has any.
  std::optional<EventSummary> summary = {};  // nullopt: its events were not read yet
  EventPlace events_read = {};               // read up to here
  bool ignored_noted = false;                // it is recorded that an event was ignored
  TimerId waits_timer = {};                  // until it counts as waiting

  bool HasHooks() const { return summary && summary->events > 0; }
};

}  // namespace belay

#endif  // BELAY_GUARDIAN_AGENT_RUNTIME_H_
