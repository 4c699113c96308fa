// When git fails on an entry's work: decides whether the work is the cause, so that a retry would
// fail again, or the machine or the repository, so that the entry can wait.
//
//   problem                                              cause              effect
//   --------------------------------------------------   ----------------   ------------------
//   a full disk, a lock, no memory, no permission        temporary          an error; it waits
//   another problem in a checkout of the target          the checkout       it waits, others go on
//   the target or git's list of refs can't be read       the repository     an error; all wait
//   objects of the entry's head are missing              the entry          it is parked
//   objects of its candidate are missing                 temporary          it is built again
//   any other git error about the entry                  the entry          it is parked

#ifndef BELAY_MERGE_FAILURE_CAUSE_H_
#define BELAY_MERGE_FAILURE_CAUSE_H_

#include <string>

#include "adapters/git/replay.h"
#include "base/result.h"
#include "engine/merge/settings.h"
#include "merge/merge_env.h"
#include "model/merge_entry.h"

namespace belay {

// A full disk, a lock, lack of memory: temporary problems, whatever they hit.
bool IsTemporary(const MergeEnv& env, const Error& error);

// The temporary problems that would also stop every other entry, wherever they were noticed.
bool AffectsEveryEntry(const MergeEnv& env, const Error& error);

// Git was killed (by the user, or for lack of memory), which is no verdict on the work.
bool WasKilled(const Error& error);

// The missing part of a commit, beyond what `known` has, in git's words; empty: nothing is missing.
// An error when that can't be determined now.
Result<std::string> MissingOf(const MergeEnv& env, const std::string& commit,
                              const std::string& known);

// Whether the target's history and files can be read: if so, the repository isn't the problem.
bool IsTargetReadable(const MergeEnv& env, const std::string& target);

// Why an entry can't continue after this error, if the entry itself is the cause, with a hint; else
// the error itself.
Result<std::string> EntryProblem(const MergeEnv& env, const MergeEntry& entry, const Error& error);

// "a, b" from several lines of git's output.
std::string OneLine(std::string_view text);

// The request of a replay, and the reasons of one that stopped, as the queue records them.

LandingStrategy StrategyOf(MergeStrategy strategy);

// Caused by the work, not temporary: a retry would fail again.
bool IsCausedByWork(const Error& error);

ConflictReport ReportOf(const ReplayConflict& conflict);

}  // namespace belay

#endif  // BELAY_MERGE_FAILURE_CAUSE_H_
