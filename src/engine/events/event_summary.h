// The summary of one incarnation's events. Pure: each event updates it, and the caller compares
// before and after.
//
// clang-format off
//   event                                        effect
//   ------------------------------------------   ----------------------------------------------------
//   any                                          it is alive and active
//   session started                              which conversation, in which transcript
//   prompt submitted, turn goes on, a tool call  it works: it no longer waits
//   a tool call                                  phase (below), the last actions
//   tool finished or failed, of tests            tests passed, failed (if the exit code shows it)
//   turn ended                                   it waits for input
//   notified (permission, input)                 it waits for a permission, for input
//   turn failed                                  it waits for a rate limit or a login; if it ends now,
//                                                that is why
//   session ended, and none started after it     why its conversation ended
//   prompts, tool calls, ends of turns           whether it has unfinished work (open_work.h)
//   session started by another program           the previous program's unfinished turn is left, if
//                                                its session didn't end
//   compaction starting                          its context window is about to be compacted
//   status shown                                 how full its context window is, as it reports
// clang-format on
//
// An agent may start others of its kind, whose hooks inherit its name: their events only show that
// it is alive. Events count if they come from the agent's recorded process. If that is a script,
// those of the program that it started last count: one that begins beside the previous one, not
// below it. Calls of its sub-agents are its own, but don't affect its phase.

#ifndef BELAY_ENGINE_EVENTS_EVENT_SUMMARY_H_
#define BELAY_ENGINE_EVENTS_EVENT_SUMMARY_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/events/open_work.h"
#include "model/agent_event.h"
#include "model/hook.h"
#include "model/identity.h"

namespace belay {

// Infers an agent's phase from its tool calls, with a memory against flapping.
//
// clang-format off
//   kind of call     means            forward    back after
//   --------------   --------------   --------   ----------------
//   read             investigation    -          8 of them
//   plan             planning         at once    3
//   edit             implementation   at once    3
//   test             testing          at once    3
//   commit           completion       at once    -
//   other            no opinion
// clang-format on
//
// Calls are counted since the last one that fits the current phase: an agent that edits also reads,
// and one that reads for a while without an edit has gone back. A phase set by the agent or the
// user (`belay hook phase`) is overruled only after 8 calls of another kind, in either direction.

std::optional<WorkPhase> PhaseOf(ActionKind kind);  // nullopt: no opinion

struct ActionMemory {
  std::array<int, 5> calls = {};  // by phase, since the last call that fits the current one
  bool is_set = false;            // the current phase was set by the agent or the user
};

// The phase to move to, if any.
std::optional<WorkPhase> ConsiderAction(ActionMemory& memory, WorkPhase present, ActionKind kind);

// An open turn of a program that ended without a report while the agent's command went on.
struct LeftTurn {
  std::string session = {};
  std::string transcript = {};
  OpenWork work = {};
};

struct EventSummary {
  static constexpr std::size_t kMostLeft = 16;

  std::uint64_t events = 0;  // of all kinds, from its whole process tree
  std::int64_t owner = 0;    // the agent's own process, as recorded; 0: unknown
  std::int64_t pid = 0;      // whose events count; 0: not known yet
  std::string session = {};
  std::optional<AgentKind> kind = {};  // of the program in that session
  std::string transcript = {};
  std::string folder = {};  // last working folder
  WorkPhase phase = WorkPhase::kInvestigation;
  ActionMemory memory = {};
  std::vector<HookAction> actions = {};  // the last of Hook::kMostActions
  std::uint64_t calls = 0;               // total number of tool calls
  std::string tests_status = "unknown";
  std::string tests_detail = {};
  std::string waits = {};                  // "input", "permission", "rate limit"; empty: it works
  std::optional<ExitCause> reported = {};  // the cause, should it end now
  std::string session_end = {};            // why its session ended; empty: it hasn't
  OpenWork work = {};                      // unfinished turn and calls
  std::vector<LeftTurn> left = {};         // by earlier programs of its command
  std::uint64_t compactions = 0;           // begun
  std::optional<double> fill = {};         // as reported by the agent
  std::uint64_t window = 0;                // tokens; 0: not reported
};

// A new summary, or one that continues from a hook record.
EventSummary EventSummaryOf(const Hook& hook);

void AddEvent(EventSummary& summary, const AgentEvent& event);

// Adds what no record keeps, for a guardian that starts in the middle: `all` sums up all events so
// far, including those that will be read again. So nothing is copied whose change triggers an
// action.
void CopyUnrecorded(EventSummary& summary, const EventSummary& all);

// The agent or the user has set its phase.
void SetReportedPhase(EventSummary& summary, WorkPhase phase);

// Copies the summary into a hook record, except for the phase.
void CopyTo(Hook& hook, const EventSummary& summary);

// The cause of an end that a failed turn indicates.
std::optional<ExitCause> CauseOfFailure(std::string_view error);

}  // namespace belay

#endif  // BELAY_ENGINE_EVENTS_EVENT_SUMMARY_H_
