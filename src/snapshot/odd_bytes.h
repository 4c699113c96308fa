// Tracked files that git considers unchanged, but would write with other bytes: because of
// converted line endings, their bytes exist only in the worktree.

#ifndef BELAY_SNAPSHOT_ODD_BYTES_H_
#define BELAY_SNAPSHOT_ODD_BYTES_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/git/git.h"
#include "adapters/git/status.h"
#include "base/result.h"
#include "snapshot/work_folder.h"

namespace belay {

struct OddBytes {
  bool converts = false;                       // git may convert files in this repository
  std::map<std::string, ObjectId> files = {};  // with the object of each in the index
};

// Takes almost no time in a repository without conversions. Files with a filter that runs as its
// own process (git-lfs) are not checked: that could cause a download, and such filters restore
// unchanged files exactly.
Result<OddBytes> FindOddBytes(const Worktree& worktree, const GitStatus& status);

// Measures the contents in the output of `git cat-file --batch=MARK --filters`, which comes in
// pieces of any length. Git prints the lengths of the objects, not of the filtered contents. A
// mark is a line of its own before each content, and a newline follows each content.
class MarkedSizes {
 public:
  explicit MarkedSizes(const std::string& mark) : mark_("\n" + mark + "\n") {}

  void Add(std::string_view piece);
  std::vector<std::uint64_t> Finish();

 private:
  std::string mark_;
  std::string pending_ = "\n";        // the first mark is at the very beginning
  std::uint64_t passed_ = 0;          // bytes of the current content that are no longer pending
  std::vector<std::uint64_t> sizes_;  // the first one is the part before the first mark
};

}  // namespace belay

#endif  // BELAY_SNAPSHOT_ODD_BYTES_H_
