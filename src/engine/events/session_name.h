// What a session is called that was started without belay, by its hooks: external-SESSION, with the
// first letters and digits of its own name for the conversation.

#ifndef BELAY_ENGINE_EVENTS_SESSION_NAME_H_
#define BELAY_ENGINE_EVENTS_SESSION_NAME_H_

#include <optional>
#include <string_view>

#include "base/ids.h"

namespace belay {

constexpr std::string_view kExternalRole = "external";

// Nothing when there is too little of it.
std::optional<IdentityName> NameOfSession(std::string_view session);

}  // namespace belay

#endif  // BELAY_ENGINE_EVENTS_SESSION_NAME_H_
