// Finding out whether agents have read what they were given (engine/messages/reading.h), and
// recording it.

#ifndef BELAY_GUARDIAN_REVIEW_H_
#define BELAY_GUARDIAN_REVIEW_H_

#include <vector>

#include "base/result.h"
#include "guardian/session_doors.h"
#include "ledger/dispatcher.h"
#include "model/identity.h"

namespace belay {

// Of the present incarnation and those before it. Reads the end of its event log and of transcripts
// if there is something to find out. What was not read when the agent ended waits again. Those that
// changed.
Result<std::vector<Delivery>> ReviewMessages(const SessionDoors& doors, Dispatcher& dispatcher,
                                             const Identity& identity);

}  // namespace belay

#endif  // BELAY_GUARDIAN_REVIEW_H_
