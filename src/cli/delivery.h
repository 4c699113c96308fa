// Delivering messages through the answer of an agent's hook. On the way of every tool call: without
// a message it is one failed open of a file.

#ifndef BELAY_CLI_DELIVERY_H_
#define BELAY_CLI_DELIVERY_H_

#include <functional>
#include <string_view>

#include "cli/hook_event.h"
#include "cli/services.h"

namespace belay {

// Which events can carry messages: what their answer says reaches the model.
bool CarriesMessages(std::string_view event, const Environment& environment);

// Takes the messages that wait for the agent, prints the answer that carries as many of them as
// fit, leaves the rest to the next hook, and records that it was printed. Whether there was
// something to deliver. `is_nested` is asked only when there is. Whatever fails leaves the messages
// for the next hook.
Result<bool> DeliverMessages(Services& services, const RecordedEvent& recorded,
                             const std::function<bool()>& is_nested);

}  // namespace belay

#endif  // BELAY_CLI_DELIVERY_H_
