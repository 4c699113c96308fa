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

#ifndef BELAY_APP_SESSION_CONTEXT_H_
#define BELAY_APP_SESSION_CONTEXT_H_

#include <span>
#include <string>

#include "app/env.h"
#include "app/hook_event.h"
#include "model/agent_event.h"

namespace belay {

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

#endif  // BELAY_APP_SESSION_CONTEXT_H_
