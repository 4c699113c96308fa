// Whether a signal is taken at all: asked by the guardian about what comes by its socket, and by a
// command when there is no guardian.

#ifndef BELAY_GUARDIAN_SIGNAL_CHECK_H_
#define BELAY_GUARDIAN_SIGNAL_CHECK_H_

#include "guardian/caller.h"
#include "model/identity_book.h"
#include "model/signal.h"

namespace belay {

// By the table of signals (CheckSignal); a person must be proven for what an agent may not send;
// and whoever is to be ended must be there. kRefused, saying what is wrong.
Result<void> CheckSent(const IdentityBook& book, const Signal& signal, const Caller& caller,
                       const Recipient& to);

// Whom a KILL_ORCHESTRATOR means: the present incarnation of an agent.
Result<AgentId> KillTarget(const IdentityBook& book, const Signal& signal);

}  // namespace belay

#endif  // BELAY_GUARDIAN_SIGNAL_CHECK_H_
