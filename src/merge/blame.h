// When git can't do something with an entry's work: whether that work is the reason, and trying
// again would end the same way, or the machine and the repository are, and the entry can wait.
//
//   what is wrong                                        whose trouble      what follows
//   --------------------------------------------------   ----------------   ------------------
//   a full disk, a lock, no memory, no permission        nobody's           an error; it waits
//   something else in a checkout of the target           the checkout's     it waits, others go on
//   the target or git's list of refs can't be read       the repository's   an error; all wait
//   objects of the entry's head are missing              the entry's        it is parked
//   objects of its candidate are missing                 nobody's           it is built again
//   something else that git says about the entry         the entry's        it is parked

#ifndef BELAY_MERGE_BLAME_H_
#define BELAY_MERGE_BLAME_H_

#include <string>

#include "adapters/git/replay.h"
#include "base/result.h"
#include "engine/merge/settings.h"
#include "merge/merge_doors.h"
#include "model/merge_entry.h"

namespace belay {

// A full disk, a lock, a want of memory: whatever it was about, it may pass.
bool MayPass(const MergeDoors& doors, const Error& error);

// The part of those that would stop every other entry as well, wherever it was noticed.
bool HitsEveryEntry(const MergeDoors& doors, const Error& error);

// A git that was killed (by a person, or for want of memory), which says nothing about the work.
bool WasKilled(const Error& error);

// What is missing of a commit beyond what `known` has, in git's words; empty: nothing. An error
// when that can't be told now.
Result<std::string> MissingOf(const MergeDoors& doors, const std::string& commit,
                              const std::string& known);

// Whether the target's history and files can be read: if so, it isn't the repository.
bool IsTargetReadable(const MergeDoors& doors, const std::string& target);

// Why an entry can't go on after this error, if that is the entry's own trouble, with what to do
// about it; else the error itself.
Result<std::string> OwnTrouble(const MergeDoors& doors, const MergeEntry& entry,
                               const Error& error);

// "a, b" of what git printed on several lines.
std::string OneLine(std::string_view text);

// How a replay is asked for, and what one that stopped says, as the queue keeps it.

LandingStrategy StrategyOf(MergeStrategy strategy);

// Of the work, not of the moment: trying again would end the same way.
bool IsOfTheWork(const Error& error);

ConflictReport ReportOf(const ReplayConflict& conflict);

}  // namespace belay

#endif  // BELAY_MERGE_BLAME_H_
