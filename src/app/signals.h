// Signals between agents, people and the guardian: whether one is taken at all, sending one, and
// waiting for one.

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

// By the table of signals (CheckSignal); a person must be proven for what an agent may not send;
// and an agent that is to be ended must be there. kRefused, saying what is wrong. Asked by the
// guardian about what comes by its socket, and by SendSignal when there is no guardian.
Result<void> CheckSent(const IdentityBook& book, const Signal& signal, const Caller& caller,
                       const Recipient& to);

// The agent that a KILL_ORCHESTRATOR means, in its present incarnation.
Result<AgentId> KillTarget(const IdentityBook& book, const Signal& signal);

// "guardian", "person", or an agent as it is named on the command line.
Result<Recipient> FindRecipient(const IdentityBook& book, std::string_view text);

struct SendSignalRequest {
  SignalType type;
  std::string to;  // for FindRecipient
  Json payload = Json::EmptyObject();
};
// By the guardian, which judges the caller itself; without one, here. The signal as it is stored.
Result<Signal> SendSignal(Env& env, SendSignalRequest request);

struct WaitForSignalRequest {
  std::string who;  // whose inbox, for FindRecipient
  std::optional<SignalType> type = {};
  std::optional<Duration> limit = {};
  // Prints it. Only then it is acknowledged: killed in between, it is seen again.
  std::function<Result<void>(const Signal&)> show;
};
struct WaitForSignalOutcome {
  Recipient who;
  bool came = false;  // false: not within the limit
};
// One waiter at a time looks into an inbox, so that two don't get the same signal.
Result<WaitForSignalOutcome> WaitForSignal(Env& env, const WaitForSignalRequest& request);

// The inbox of the caller.
Recipient OwnInbox(const Caller& caller);

struct ListSignalsOutcome {
  Recipient who;
  std::vector<Signal> signals;
};
// What waits in an inbox; without a name in the caller's.
Result<ListSignalsOutcome> ListSignals(Env& env, const std::optional<std::string>& who);

// "2 messages for you: ...": what waits in the person's inbox beside mere news; empty: nothing.
std::string PersonMessagesLine(Env& env, const Layout& project);

}  // namespace belay

#endif  // BELAY_APP_SIGNALS_H_
