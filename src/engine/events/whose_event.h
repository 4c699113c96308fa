// Whose event it is. The name that it carries is a claim: hooks inherit it, and anybody can set it.
// So a hook writes down which processes are above it, and it is the agent's only if the agent's own
// process, or the `belay exec` that it runs under, is among them. Pure.
//
// Whoever has the user's rights can write the log by hand, too. This keeps one agent's hooks from
// counting as another's; it is no wall.

#ifndef BELAY_ENGINE_EVENTS_WHOSE_EVENT_H_
#define BELAY_ENGINE_EVENTS_WHOSE_EVENT_H_

#include <optional>
#include <string_view>

#include "base/ids.h"
#include "model/agent_event.h"
#include "model/identity.h"

namespace belay {

enum class EventOwner {
  kItself,
  kFormer,    // an incarnation before it
  kStranger,  // it carries its name, and comes from outside its processes
  kOther,     // it isn't about it at all
};

// As long as no process is on record for it, its name is enough.
EventOwner WhoseEvent(const AgentEvent& event, const Identity& identity);

// What a session is called that was started without belay, by its hooks: external-SESSION, with the
// first letters and digits of its own name for the conversation.

constexpr std::string_view kExternalRole = "external";

// Nothing when there is too little of it.
std::optional<IdentityName> NameOfSession(std::string_view session);

}  // namespace belay

#endif  // BELAY_ENGINE_EVENTS_WHOSE_EVENT_H_
