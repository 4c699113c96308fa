// Signals between agents, people and the guardian: checking, sending and waiting for one.

#ifndef BELAY_APP_SIGNALS_H_
#define BELAY_APP_SIGNALS_H_

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "app/caller.h"
#include "app/env.h"
#include "base/result.h"
#include "codec/json.h"
#include "model/identity_book.h"
#include "model/signal.h"
#include "store/layout.h"

namespace belay {

// Checks the table of signals (CheckSignal); for a signal that an agent may not send, that the
// sender is proven to be a person; and that an agent to be ended exists. kRefused, with the reason.
// The guardian calls it for what comes by its socket, and SendSignal when there is no guardian.
Result<void> CheckSent(const IdentityBook& book, const Signal& signal, const Caller& caller,
                       const Recipient& to);

// The agent that a KILL_ORCHESTRATOR names, in its present incarnation.
Result<AgentId> KillTarget(const IdentityBook& book, const Signal& signal);

// "guardian", "person", or an agent as named on the command line.
Result<Recipient> FindRecipient(const IdentityBook& book, std::string_view text);

struct SendSignalRequest {
  SignalType type;
  std::string to;  // for FindRecipient
  Json payload = Json::EmptyObject();
};
// Through the guardian, which judges the caller itself; without one, here. Returns the signal as
// stored.
Result<Signal> SendSignal(Env& env, SendSignalRequest request);

struct WaitForSignalRequest {
  std::string who;  // the owner of the inbox, for FindRecipient
  std::optional<SignalType> type = {};
  std::optional<Duration> limit = {};
  // Prints it. It is acknowledged only afterwards: after a kill in between, it is seen again.
  std::function<Result<void>(const Signal&)> show;
};
struct WaitForSignalOutcome {
  Recipient who;
  bool came = false;  // false: none within the limit
};
// One waiter at a time reads an inbox, so that two don't get the same signal.
Result<WaitForSignalOutcome> WaitForSignal(Env& env, const WaitForSignalRequest& request);

// The inbox of the caller.
Recipient OwnInbox(const Caller& caller);

struct ListSignalsOutcome {
  Recipient who;
  std::vector<Signal> signals;
};
// The contents of an inbox; without a name, of the caller's.
Result<ListSignalsOutcome> ListSignals(Env& env, const std::optional<std::string>& who);

// "2 messages for you: ...": what waits in the person's inbox, without mere news; empty: nothing.
std::string PersonMessagesLine(Env& env, const Layout& project);

}  // namespace belay

#endif  // BELAY_APP_SIGNALS_H_
