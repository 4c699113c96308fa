// What the guardian knows about one incarnation besides what is recorded: its processes, its timer,
// what was seen of it. All of it can be lost and is found out again.

#ifndef BELAY_GUARDIAN_AGENT_RUNTIME_H_
#define BELAY_GUARDIAN_AGENT_RUNTIME_H_

#include <optional>
#include <string>

#include "base/ids.h"
#include "base/time.h"
#include "engine/events/event_summary.h"
#include "engine/supervise/phase_inference.h"
#include "engine/supervise/suspicion.h"
#include "ledger/event_log.h"
#include "os/event_loop.h"
#include "os/process.h"

namespace belay {

// A process that is watched until it ends.
struct WatchedProcess {
  pid_t pid = 0;                        // 0 when nobody is watched
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
  TimerId timer = {};                             // the next thing to do about it
  MonotonicTime timer_at = {};                    // when that is
  int launches = 0;                               // by this guardian
  int failures = 0;                               // in a row, of something that is tried again
  std::optional<MonotonicTime> spawn_until = {};  // when its start is late
  std::optional<WallTime> due = {};               // as recorded, and as it was when it was seen:
  MonotonicTime due_at = {};                      // when it is to come back
  std::string trouble = {};                       // why that failed the last time
  bool ending = false;                            // it was asked to end, by us
  bool end_after_capture = false;                 // it will be, once its work is kept
  bool stop_watched = false;                      // whether somebody else ends it is looked at
  bool end_when_started = false;                  // the same, once it runs
  bool exec_killed = false;                       // its exec ended without ending what it left
  bool exec_noted = false;                        // that it waits for its exec is on record
  bool orphans_ended = false;
  bool end_told = false;                           // a person was told that it has ended
  bool end_reported = false;                       // its end waits for being recorded
  std::optional<MonotonicTime> ending_until = {};  // it is gone, and its exec will say how

  // Snapshots of its work.
  bool capturing = false;
  bool captures_end = false;        // that one was begun after its end
  bool captured = false;            // since it has ended
  bool captured_with_exec = false;  // that one was begun before its exec was gone
  MonotonicTime captured_at = {};
  int failed_captures = 0;        // since it has ended
  std::string lack = {};          // why the last one failed
  std::string capture_next = {};  // why another one is wanted, behind the one under way

  // Looks at it, while it runs.
  Suspicion suspicion = {};
  PhaseMemory phases = {};
  std::optional<WorkPhase> phase = {};  // as the hook had it last
  std::string head = {};                // the commit it stood on
  bool told = false;                    // it spoke by itself since the last look
  std::size_t said = 0;                 // notes and phases when that was last noticed
  bool tests_run = false;               // at the last look
  bool was_waiting = false;             // at the last look
  std::uint64_t run_time = 0;           // of its processes, at the last look
  bool stirred = false;                 // it did something before the last look
  Duration planned = {};                // until the next look
  MonotonicTime seen_at = {};           // when that was last recorded
  std::string git_folder = {};          // of its worktree

  // What its hooks told, if it has any.
  std::optional<EventSummary> summary = {};  // nothing: not listened to yet
  EventPlace heard = {};                     // up to where
  bool passed_over_noted = false;            // that somebody told something who has no say in it
  TimerId waits_timer = {};                  // until it counts as waiting

  bool HasHooks() const { return summary && summary->events > 0; }
};

}  // namespace belay

#endif  // BELAY_GUARDIAN_AGENT_RUNTIME_H_
