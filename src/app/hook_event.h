// What an agent's hook, or its status line, reports: recorded and answered at every tool call, so
// with no lock, no sync and no configuration.

#ifndef BELAY_APP_HOOK_EVENT_H_
#define BELAY_APP_HOOK_EVENT_H_

#include <functional>
#include <optional>
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

}  // namespace belay

#endif  // BELAY_APP_HOOK_EVENT_H_
