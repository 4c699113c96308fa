// A snapshot as a patch.

#ifndef BELAY_SNAPSHOT_DIFF_H_
#define BELAY_SNAPSHOT_DIFF_H_

#include "adapters/git/git.h"
#include "base/result.h"
#include "os/program.h"
#include "snapshot/saved_snapshot.h"

namespace belay {

// Gives `output`, piece by piece, a patch from the base to the files of the snapshot, untracked
// ones included, that `git apply --binary` takes. It is in the bytes that the files had, without
// filters, and says nothing of the index.
Result<void> WriteSnapshotDiff(const Git& git, const SavedSnapshot& snapshot,
                               const ProgramRequest::Output& output);

}  // namespace belay

#endif  // BELAY_SNAPSHOT_DIFF_H_
