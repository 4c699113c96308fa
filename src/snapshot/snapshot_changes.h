// What a snapshot holds, path by path, for whoever looks at it.

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
  bool staged = false;     // the index has something else than the base
  bool changed = false;    // the file is another one than the index has
  bool deleted = false;    // there was no file
  bool untracked = false;  // the index has nothing

  // "staged", "deleted", ...: all that hold, without those that go without saying.
  std::vector<std::string_view> Words() const;
};

// By path.
Result<std::vector<SnapshotChange>> ReadChanges(const Git& git, const SavedSnapshot& snapshot);

// A snapshot as a patch.

// Gives `output`, piece by piece, a patch from the base to the files of the snapshot, untracked
// ones included, that `git apply --binary` takes. It is in the bytes that the files had, without
// filters, and says nothing of the index.
Result<void> WriteSnapshotDiff(const Git& git, const SavedSnapshot& snapshot,
                               const ProgramRequest::Output& output);

}  // namespace belay

#endif  // BELAY_SNAPSHOT_SNAPSHOT_CHANGES_H_
