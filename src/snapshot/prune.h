// Deleting snapshots: the refs only. Git drops what nothing else names when it collects garbage, so
// for a while a deleted one can be brought back by its commit, which the journal names.
//
// First it is recorded what goes, where there is a vault, then the refs are deleted, each with its
// value checked. Killed in between, the record is there once more than the deletion; pruning again
// completes it.

#ifndef BELAY_SNAPSHOT_PRUNE_H_
#define BELAY_SNAPSHOT_PRUNE_H_

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "adapters/git/object_id.h"
#include "base/result.h"
#include "base/time.h"
#include "snapshot/saved_snapshot.h"
#include "snapshot/work_folder.h"
#include "store/layout.h"

namespace belay {

// Which snapshots have to go. Looked at from the newest to the oldest of one name:
//
//   the snapshot                                        is
//   -------------------------------------------------   ---------------------------
//   the last one of its name that can be read           kept: it may be all that is left of a
//                                                       crashed agent's work
//   named by somebody (a context, an entry)             kept
//   unreadable: of a newer belay, or not belay's        kept: its age and size aren't known
//   older than the limit                                deleted
//   not among the newest ones, as many as allowed       deleted
//   with it, the newest ones hold more than allowed     deleted
//
// Those that are kept anyway count among the newest, and what they hold counts too.

struct RetentionLimits {
  std::uint64_t count = 100;  // at least 1
  Duration age = std::chrono::hours(30 * 24);
  std::uint64_t bytes = std::uint64_t{2048} << 20U;  // captured ones, of one name
};

struct Expired {
  SavedSnapshot snapshot;
  std::string reason;  // "older than 30d"
};

// `snapshots` are all those of one name, oldest first. So is what is given back. One whose time is
// in the future isn't old.
std::vector<Expired> ChooseExpired(std::span<const SavedSnapshot> snapshots, WallTime now,
                                   const RetentionLimits& limits,
                                   const std::set<ObjectId>& named_commits);

// What has to go of all names in the repository, by name and number. Changes nothing.
Result<std::vector<Expired>> PlanPrune(const Worktree& worktree, const RetentionLimits& limits,
                                       const std::set<ObjectId>& named_commits);

// What can't be recorded isn't deleted. What somebody else has deleted meanwhile is fine; one that
// says something else by now is kBusy, and then nothing is deleted.
Result<void> DeleteExpired(const Worktree& worktree, const Layout& project,
                           std::span<const Expired> expired);

}  // namespace belay

#endif  // BELAY_SNAPSHOT_PRUNE_H_
