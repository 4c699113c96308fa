// Which agent an event belongs to. The name in it is only a claim: hooks inherit it, and any
// process can set it. So a hook records the processes above it, and the event is the agent's only
// if the agent's own process, or its `belay exec`, is among them. Pure.
//
// Every process of the same user can also write to the log directly. This check keeps one agent's
// hooks from counting as another's; it is not a security boundary.

#ifndef BELAY_ENGINE_EVENTS_EVENT_OWNER_H_
#define BELAY_ENGINE_EVENTS_EVENT_OWNER_H_

#include <optional>
#include <string_view>

#include "base/ids.h"
#include "model/agent_event.h"
#include "model/identity.h"

namespace belay {

enum class EventOwner {
  kItself,
  kFormer,    // an earlier incarnation
  kStranger,  // it carries the agent's name, but comes from outside its processes
  kOther,     // it isn't about this agent at all
};

// As long as the agent has no recorded process, the name is enough.
EventOwner EventOwnerOf(const AgentEvent& event, const Identity& identity);

// The name of a session that was started without belay: external-SESSION, with the first letters
// and digits of the conversation's id.

constexpr std::string_view kExternalRole = "external";

// Nullopt when too few characters are usable.
std::optional<IdentityName> NameOfSession(std::string_view session);

}  // namespace belay

#endif  // BELAY_ENGINE_EVENTS_EVENT_OWNER_H_
