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

#ifndef BELAY_SNAPSHOT_RETENTION_H_
#define BELAY_SNAPSHOT_RETENTION_H_

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "adapters/git/object_id.h"
#include "base/time.h"
#include "snapshot/saved_snapshot.h"

namespace belay {

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

}  // namespace belay

#endif  // BELAY_SNAPSHOT_RETENTION_H_
