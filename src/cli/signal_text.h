// What the signal commands have in common.

#ifndef BELAY_CLI_SIGNAL_TEXT_H_
#define BELAY_CLI_SIGNAL_TEXT_H_

#include <span>
#include <string>

#include "app/caller.h"
#include "cli/services.h"
#include "codec/json.h"
#include "model/signal.h"

namespace belay {

// The inbox of the caller.
Recipient OwnInbox(const Caller& caller);

Json SignalsJson(std::span<const Signal> signals);  // {"signals": [...]}
std::string SignalTable(std::span<const Signal> signals, const Screen& screen);

// "2 messages for you: ...": what waits in the person's inbox beside mere news; empty: nothing.
std::string PersonMessagesLine(Services& services, const Layout& project);

}  // namespace belay

#endif  // BELAY_CLI_SIGNAL_TEXT_H_
