// Recording that an agent runs. Anybody may who has seen its run record: the guardian, or the
// command that started it.

#ifndef BELAY_GUARDIAN_START_H_
#define BELAY_GUARDIAN_START_H_

#include "base/result.h"
#include "guardian/session_doors.h"
#include "host/run_record.h"
#include "ledger/identity_ledger.h"

namespace belay {

// Changes what is recorded by now, under the lock: what somebody wanted of it meanwhile stays.
// False, and nothing is recorded, when that incarnation isn't the present one any more, or was
// given up. `run` has a process.
Result<bool> RecordStart(const SessionDoors& doors, IdentityLedger& ledger, const StateLock& lock,
                         const RunRecord& run);

}  // namespace belay

#endif  // BELAY_GUARDIAN_START_H_
