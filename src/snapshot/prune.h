// Deletes snapshots: only their refs. Git drops unreferenced objects when it collects garbage, so
// for a while a deleted snapshot can be recovered by its commit, which the journal names.
//
// The deletion is recorded first, if there is a vault, then the refs are deleted, each with its
// value checked. After a kill in between, the record exists without the deletion; pruning again
// completes it.

#ifndef BELAY_SNAPSHOT_PRUNE_H_
#define BELAY_SNAPSHOT_PRUNE_H_

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "adapters/git/git.h"
#include "base/result.h"
#include "base/time.h"
#include "snapshot/saved_snapshot.h"
#include "snapshot/work_folder.h"
#include "store/layout.h"

namespace belay {

// Which snapshots are deleted. Evaluated from the newest to the oldest of one name:
//
//   the snapshot                                        is
//   -------------------------------------------------   ---------------------------
//   the last one of its name that can be read           kept: it may be all that is left of a
//                                                       crashed agent's work
//   in use (by a context or an entry)                   kept
//   unreadable: by a newer belay or another program     kept: its age and size are unknown
//   older than the limit                                deleted
//   not among the allowed number of newest ones         deleted
//   together with newer ones over the size limit        deleted
//
// Snapshots that are always kept count too, in number and size.

struct RetentionLimits {
  std::uint64_t count = 100;  // at least 1
  Duration age = std::chrono::hours(30 * 24);
  std::uint64_t bytes = std::uint64_t{2048} << 20U;  // captured bytes, of one name
};

struct Expired {
  SavedSnapshot snapshot;
  std::string reason;  // "older than 30d"
};

// `snapshots` are all of one name, oldest first; so is the result. A snapshot dated in the future
// isn't old.
std::vector<Expired> ChooseExpired(std::span<const SavedSnapshot> snapshots, WallTime now,
                                   const RetentionLimits& limits,
                                   const std::set<ObjectId>& named_commits);

// The expired snapshots of all names in the repository, by name and number. Changes nothing.
Result<std::vector<Expired>> PlanPrune(const Worktree& worktree, const RetentionLimits& limits,
                                       const std::set<ObjectId>& named_commits);

// A snapshot is only deleted after it is recorded. Snapshots deleted by another process are
// ignored; a changed ref is kBusy, and then nothing is deleted.
Result<void> DeleteExpired(const Worktree& worktree, const Layout& project,
                           std::span<const Expired> expired);

}  // namespace belay

#endif  // BELAY_SNAPSHOT_PRUNE_H_
