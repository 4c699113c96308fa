// An event that an agent's hook reported, in belay's vocabulary and reduced to what belay needs:
// one line of the agent's event log (ledger/event_log.h). Small, whatever the hook received; never
// the content of a file, nor anything of the hook's environment.
//
//   {"schema_version":2,"event":"tool_finished","at":"2026-03-01T10:00:00.000001Z",
//    "agent_kind":"claude","agent_id":"worker-login#2","session_id":"5f0c...","tool":"Bash",
//    "action":"test","subject":"npm test","passed":true}
//
// An adapter builds it from the input of its agent program's hook. A line without a schema_version
// is of version 1, which had Claude Code's own names; it is read, but never written.

#ifndef BELAY_MODEL_AGENT_EVENT_H_
#define BELAY_MODEL_AGENT_EVENT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "codec/json.h"
#include "model/agent_kind.h"
#include "model/identity.h"

namespace belay {

enum class EventKind {
  kSessionStarted,      // detail: kResumed, kForked, kCompacted; any other starts without a history
  kPromptSubmitted,     //
  kToolStarting,        //
  kToolFinished,        //
  kToolFailed,          // detail: "exit code 7", kInterrupted, "failed"
  kCompactionStarting,  // of its context
  kCompactionFinished,  //
  kTurnEnded,           // the model has finished its answer
  kTurnGoesOn,          // belay answered the end of a turn with messages: the model goes on
  kTurnFailed,          // detail: the name of an ExitCause, or what the agent calls it
  kSubAgentEnded,       //
  kSessionEnded,        // detail: kPersonLeft, or what the agent calls it
  kNotified,            // the user; detail: kPermission or kInput, for which it waits
  kTaskCreated,         // in its own list
  kTaskCompleted,       //
  kStatusShown,         // its status line
};
std::string_view EventKindName(EventKind kind);  // "tool_starting"
std::optional<EventKind> ParseEventKind(std::string_view name);

// Whether a tool call begins or ends.
bool IsToolCall(EventKind kind);

// Values of AgentEvent::detail.
struct EventDetail {
  static constexpr std::string_view kResumed = "resumed";
  static constexpr std::string_view kForked = "forked";
  static constexpr std::string_view kCompacted = "compacted";
  static constexpr std::string_view kPersonLeft = "person_left";
  static constexpr std::string_view kPermission = "permission";
  static constexpr std::string_view kInput = "input";
  static constexpr std::string_view kInterrupted = "interrupted";
};

// What a tool call does, as far as it matters for the work (engine/events/judge_report.h).
enum class ActionKind { kOther, kRead, kPlan, kEdit, kTest, kCommit };
std::string_view ActionKindName(ActionKind kind);  // "read"
std::optional<ActionKind> ParseActionKind(std::string_view name);

struct AgentEvent {
  static constexpr std::size_t kLongestText = 300;  // code points, of subject and detail

  EventKind kind = EventKind::kSessionStarted;
  WallTime at = {};                     //
  std::string agent = {};               // $BELAY_AGENT_ID; empty: a session started without belay
  std::string session = {};             // the agent program's id of the conversation
  std::string transcript = {};          // the file of that conversation
  std::string folder = {};              // its working folder
  std::int64_t pid = 0;                 // of the program whose hook it is; 0: not known
  std::uint64_t pid_start = 0;          // in clock ticks since boot
  std::vector<ProcessMark> above = {};  // the hook's ancestors, its parent first
  bool nested = false;                  // inside a sub-agent
  std::string sub_agent = {};           // its id, inside one and at its end
  std::string tool = {};                // the agent's name of it, for display
  std::string call = {};                // the id of the tool call
  ActionKind action = ActionKind::kOther;
  std::string subject = {};         // the file or the command, as one line
  std::string detail = {};          // depends on the kind of event
  std::optional<bool> passed = {};  // of a finished tool call; of tests only if the exit code
                                    // shows it
  std::optional<double> fill = {};  // percent of the context, as the agent reports it
  std::uint64_t window = 0;         // tokens; 0: not reported
  AgentKind agent_kind = AgentKind::kGeneric;  // whose hook it is

  bool operator==(const AgentEvent&) const = default;
};

Json ToJson(const AgentEvent& event);  // only what is known
// Of any version; kDamaged for a newer one and for an unknown kind.
Result<AgentEvent> AgentEventFromJson(const Json& record);

// What an adapter builds from a hook's input: the event in belay's vocabulary, and what has to be
// judged before it can be stored (engine/events/judge_report.h). Texts are as the agent gave them:
// of any length, with control characters and secrets.

// What a tool is for, judged by its name.
enum class ToolKind { kOther, kShell, kRead, kPlan, kEdit };

struct EventReport {
  AgentEvent event = {};  // `subject` is the command of a shell; `action` and `passed` are empty
  ToolKind tool = ToolKind::kOther;
  bool planning = false;                // the agent only plans, and changes nothing
  bool background = false;              // the tool keeps running after its call has ended
  bool interrupted = false;             // the user interrupted the call
  std::vector<std::string> texts = {};  // what a tool that isn't the agent's own may write to
  std::string problem = {};  // why the input isn't understood; then only `event.kind` counts
};

}  // namespace belay

#endif  // BELAY_MODEL_AGENT_EVENT_H_
