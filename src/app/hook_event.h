// What an agent's hook, or its status line, reports: recorded and answered at every tool call, so
// with no lock, no sync and no configuration.

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

// As much as anybody reads; the rest is dropped.
constexpr std::size_t kMostHookInput = std::size_t{64} << 20U;

struct RecordedEvent {
  Layout project;
  IdentityName agent;
  AgentEvent event;
  std::string_view name;  // as the agent program calls it
};

// Appends it to the event log. Nothing when there is no project that belay is set up in, or no
// agent that it could be about. `name` outlives what is given.
Result<std::optional<RecordedEvent>> RecordHookEvent(Env& env, std::string_view name,
                                                     const NamedEvent& what,
                                                     const std::string& input);

struct StatusLine {
  IdentityName agent;
  std::optional<WorkPhase> phase = {};
  std::optional<double> fill = {};  // of its context, in percent
};
// Records what a status line is given, and gives what it shows. Nothing as above.
Result<std::optional<StatusLine>> RecordStatusLine(Env& env, const std::string& input);

struct HookEventRequest {
  std::string_view name;  // as the agent program calls it
  NamedEvent what;
  const std::string& input;
  std::function<Result<void>(std::string_view)> answer;  // prints, at once
  std::function<bool()> go_on_in_background;             // os/this_process.h
};
// Records it and answers: refuses an edit of the settings, gives a session that starts its context
// (app/session_context.h), delivers messages that wait; without one that is a failed open of a
// file. What can't be delivered is left to the next hook. The first event of a session that was
// started without belay registers it, in a process of its own.
Result<void> HandleHookEvent(Env& env, const HookEventRequest& request);

// What an agent's hook adds to its context when its session starts.
//
// Who runs under belay is always told so, and where the file with its text is. Where that text
// could not be put into the command, as of a wrapper script, the context carries the text itself:
// `belay spawn` and the guardian say so with $BELAY_RESUME_CONTEXT. The text of a "continuation"
// goes to every session that the command starts, since the one before may have been killed in any
// of them; a "task" goes only to the first one. A text that is longer than what an agent program
// takes from a hook stays in the file, and the context says to read it first.
//
// On the hook path, and only at the start of a session: it reads the tail of one event log and one
// small file.

// Empty when there is nothing to add: it isn't an agent of belay's, or runs inside another one.
std::string SessionContext(const Env& env, const RecordedEvent& recorded);

// Whether the event is of a program that the agent started itself: it inherits the agent's name.
bool IsNested(const AgentEvent& event);

// Whether no earlier hook of this incarnation is in the log. `log`: its last events, oldest first,
// this one among them. Any session before it would have left its own start, and one that is too
// long ago for the log has been followed by others. A status line may come before.
bool IsFirstOfIncarnation(const AgentEvent& event, std::span<const AgentEvent> log);

// The same for the process that the event is of: later ones are of a /clear or a compaction.
bool IsFirstOfProcess(const AgentEvent& event, std::span<const AgentEvent> log);

}  // namespace belay

#endif  // BELAY_APP_HOOK_EVENT_H_
