// Records and answers what an agent's hook or its status line reports. It runs at every tool call,
// so it takes no lock, does no sync and reads no configuration.

#ifndef BELAY_APP_HOOK_EVENT_H_
#define BELAY_APP_HOOK_EVENT_H_

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "adapters/agents.h"
#include "app/env.h"
#include "base/ids.h"
#include "base/result.h"
#include "model/agent_event.h"
#include "model/hook.h"
#include "store/layout.h"

namespace belay {

// More than any reader needs; the rest is dropped.
constexpr std::size_t kMostHookInput = std::size_t{64} << 20U;

struct RecordedEvent {
  Layout project;
  IdentityName agent;
  AgentEvent event;
  std::string_view name;     // the agent program's own name for it
  std::string guarded = {};  // the path that the call may not write; empty: it is allowed
};

// Appends it to the event log. Nothing when belay isn't set up here, or when it belongs to no
// agent. `name` must outlive the result.
Result<std::optional<RecordedEvent>> RecordHookEvent(Env& env, std::string_view name,
                                                     const NamedEvent& what,
                                                     const std::string& input);

struct StatusLine {
  IdentityName agent;
  std::optional<WorkPhase> phase = {};
  std::optional<double> fill = {};  // of its context, in percent
  std::optional<WallTime> timeout_at = {};
};
// Records the input of a status line, and returns what it shows. Nothing as above.
Result<std::optional<StatusLine>> RecordStatusLine(Env& env, const std::string& input);

struct HookEventRequest {
  std::string_view name;  // the agent program's own name for it
  NamedEvent what;
  const std::string& input;
  std::function<Result<void>(std::string_view)> answer;  // prints, at once
  std::function<bool()> go_on_in_background;             // os/this_process.h
};
// Records it and answers: refuses a write to belay's settings and records (guarded_paths.h), gives
// a starting session its context, delivers waiting messages; without one, the cost is a failed open
// of a file. What can't be delivered is left to the next hook. The first event of a session that
// was started without belay registers it, in a process of its own; so does a session that starts
// for a resumed task acknowledge that it has it.
Result<void> HandleHookEvent(Env& env, const HookEventRequest& request);

// What an agent's hook adds to its context when its session starts.
//
// An agent under belay always learns that it is, and where the file with its text is. Where that
// text could not be put into the command, as for a wrapper script, the context carries the text
// itself: `belay spawn` and the guardian set $BELAY_RESUME_CONTEXT for that. The text of a
// "continuation" goes to every session that the command starts, since the previous incarnation may
// have been killed in any of them; a "task" goes only to the first one. A text that is longer than
// what an agent program takes from a hook stays in the file, and the context says to read it first.
//
// On the hook path, but only at the start of a session: reads the tail of one event log and one
// small file.

// Empty when there is nothing to add: it isn't an agent that belay started, or it runs inside
// another one.
std::string SessionContext(const Env& env, const RecordedEvent& recorded);

// Whether the event comes from a program that the agent started itself: it inherits the agent's
// name.
bool IsNested(const AgentEvent& event);

// Whether the log has no earlier hook of this incarnation. `log`: its last events, oldest first,
// including this one. Any earlier session would have logged its own start, and a start that is too
// old for the log has been followed by other events. A status line may come before.
bool IsFirstOfIncarnation(const AgentEvent& event, std::span<const AgentEvent> log);

// The same for the event's process: later starts come from a /clear or a compaction.
bool IsFirstOfProcess(const AgentEvent& event, std::span<const AgentEvent> log);

}  // namespace belay

#endif  // BELAY_APP_HOOK_EVENT_H_
