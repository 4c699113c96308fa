// What a replay that stopped says, as the queue keeps it.

#ifndef BELAY_MERGE_REPLAY_REPORT_H_
#define BELAY_MERGE_REPLAY_REPORT_H_

#include "adapters/git/replay.h"
#include "model/merge_entry.h"

namespace belay {

ConflictReport ReportOf(const ReplayConflict& conflict);

}  // namespace belay

#endif  // BELAY_MERGE_REPLAY_REPORT_H_
