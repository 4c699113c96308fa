// How a replay is asked for, and what one that stopped says, as the queue keeps it.

#ifndef BELAY_MERGE_REPLAY_REPORT_H_
#define BELAY_MERGE_REPLAY_REPORT_H_

#include "adapters/git/replay.h"
#include "engine/merge/settings.h"
#include "model/merge_entry.h"

namespace belay {

LandingStrategy StrategyOf(MergeStrategy strategy);

// Of the work, not of the moment: trying again would end the same way.
bool IsOfTheWork(const Error& error);

ConflictReport ReportOf(const ReplayConflict& conflict);

}  // namespace belay

#endif  // BELAY_MERGE_REPLAY_REPORT_H_
