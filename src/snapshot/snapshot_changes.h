// The content of a snapshot, path by path, for display.

#ifndef BELAY_SNAPSHOT_SNAPSHOT_CHANGES_H_
#define BELAY_SNAPSHOT_SNAPSHOT_CHANGES_H_

#include <string>
#include <string_view>
#include <vector>

#include "adapters/git/git.h"
#include "base/result.h"
#include "os/program.h"
#include "snapshot/saved_snapshot.h"

namespace belay {

struct SnapshotChange {
  std::string path;
  bool unmerged = false;
  bool intent_to_add = false;
  bool staged = false;     // the index differs from the base
  bool changed = false;    // the file differs from the index
  bool deleted = false;    // there was no file
  bool untracked = false;  // the index has nothing

  // "staged", "deleted", ...: all that apply, without implied ones.
  std::vector<std::string_view> Words() const;
};

// By path.
Result<std::vector<SnapshotChange>> ReadChanges(const Git& git, const SavedSnapshot& snapshot);

// A snapshot as a patch.

// Writes to `output`, piece by piece, a patch from the base to the files of the snapshot, untracked
// ones included, for `git apply --binary`. It uses the raw bytes of the files, without filters, and
// leaves out the index.
Result<void> WriteSnapshotDiff(const Git& git, const SavedSnapshot& snapshot,
                               const ProgramRequest::Output& output);

}  // namespace belay

#endif  // BELAY_SNAPSHOT_SNAPSHOT_CHANGES_H_
