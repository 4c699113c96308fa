// Removes what is left of entries that ended long ago, so that nothing grows forever: the output of
// their gates, and refs/belay/merge/mN/head, which keeps the last commit of a branch that may have
// been deleted.
//
//   the entry                                 its head                        its logs
//   ---------------------------------------   ----------------------------- -----------------------
//   queued or parked                          kept                            kept
//   merged or cancelled, not completed        kept                            removed when older
//   merged or cancelled, longer than `keep`   removed                           than `keep`
//   so old that the book has forgotten it     removed if a target has the     the same
//                                               commit itself
//
// A merged head is in the target; a cancelled one may exist nowhere else, hence `keep`. An ended
// entry never comes back, so no lock is needed.

#ifndef BELAY_MERGE_PRUNE_H_
#define BELAY_MERGE_PRUNE_H_

#include <cstddef>

#include "adapters/git/git.h"
#include "base/result.h"
#include "base/time.h"
#include "model/merge_book.h"
#include "os/file_system.h"
#include "store/layout.h"

namespace belay {

struct PrunePlace {
  FileSystem& files;
  const Layout& project;
  const Git& git;
};

struct Pruned {
  std::size_t heads = 0;
  std::size_t logs = 0;

  bool operator==(const Pruned&) const = default;
};

Result<Pruned> PruneEnded(const PrunePlace& place, const MergeBook& book, WallTime now,
                          Duration keep);

}  // namespace belay

#endif  // BELAY_MERGE_PRUNE_H_
