// What the signal commands have in common: whose inbox is meant, and how signals are shown.

#ifndef BELAY_CLI_SIGNAL_TEXT_H_
#define BELAY_CLI_SIGNAL_TEXT_H_

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/services.h"
#include "codec/json.h"
#include "guardian/caller.h"
#include "model/identity_book.h"
#include "model/signal.h"

namespace belay {

// "guardian", "person", or an agent as it is named on the command line.
Result<Recipient> FindRecipient(const IdentityBook& book, std::string_view text);
// The inbox of whoever asks.
Recipient OwnInbox(const Caller& caller);

Json SignalsJson(std::span<const Signal> signals);  // {"signals": [...]}
std::string SignalTable(std::span<const Signal> signals, const Screen& screen);

// "2 messages for you: ...": what waits in the person's inbox beside mere news; empty: nothing.
std::string PersonMessagesLine(Services& services, const Layout& project);

}  // namespace belay

#endif  // BELAY_CLI_SIGNAL_TEXT_H_
