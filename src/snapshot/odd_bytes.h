// Tracked files that git sees as unchanged, and yet would write otherwise than they are: with line
// endings that git converts, their bytes are nowhere but in the worktree.

#ifndef BELAY_SNAPSHOT_ODD_BYTES_H_
#define BELAY_SNAPSHOT_ODD_BYTES_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/git/object_id.h"
#include "adapters/git/status.h"
#include "base/result.h"
#include "snapshot/work_folder.h"

namespace belay {

struct OddBytes {
  bool converts = false;                       // git may convert files in this repository
  std::map<std::string, ObjectId> files = {};  // with the object that the index has for each
};

// Hardly takes any time in a repository where nothing is converted. A file with a filter that runs
// as a process of its own (git-lfs) isn't looked at: asking could mean fetching, and what those
// leave unchanged, they bring back.
Result<OddBytes> FindOddBytes(const Worktree& worktree, const GitStatus& status);

// The lengths of what `git cat-file --batch=MARK --filters` prints, which comes in pieces of any
// length. Git gives no usable ones: it says how long the objects are, not what it makes of them. A
// mark is a line of its own before each content, with a newline behind it.
class MarkedSizes {
 public:
  explicit MarkedSizes(const std::string& mark) : mark_("\n" + mark + "\n") {}

  void Add(std::string_view piece);
  std::vector<std::uint64_t> Finish();

 private:
  std::string mark_;
  std::string pending_ = "\n";        // the first mark stands at the very beginning
  std::uint64_t passed_ = 0;          // of the present content, and no longer pending
  std::vector<std::uint64_t> sizes_;  // the first one is of what stands before the first mark
};

}  // namespace belay

#endif  // BELAY_SNAPSHOT_ODD_BYTES_H_
