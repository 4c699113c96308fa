// The worktree to capture: git's view of it, and what has to be read.

#ifndef BELAY_SNAPSHOT_WORKTREE_SCAN_H_
#define BELAY_SNAPSHOT_WORKTREE_SCAN_H_

#include <map>
#include <set>
#include <string>
#include <vector>

#include "adapters/git/status.h"
#include "base/result.h"
#include "codec/hash.h"
#include "snapshot/capture_list.h"
#include "snapshot/work_folder.h"

namespace belay {

struct WorktreeScan {
  GitStatus status = {};
  ObjectFormat format = ObjectFormat::kSha1;
  CaptureList list = {};
  std::vector<KnownEntry> modules = {};  // with their checked-out commits
  // Paths that git reports as gone but that have a file: it is no longer tracked. Unless it is
  // captured as untracked, the snapshot doesn't mention it.
  std::set<std::string, std::less<>> left_there = {};
  std::string digest = {};  // of all the above
  bool converts = false;    // git may convert files here; set by AddOddFiles
  // Files to read although git sees no change in them, with their index entries: those that git is
  // set to overlook, and those whose bytes it would not restore.
  std::map<std::string, ObjectId> odd = {};
};

// `also` as in ListCaptures.
Result<WorktreeScan> ScanWorktree(const Worktree& worktree, const CaptureRules& rules,
                                  const std::vector<CaptureItem>& also);

// Adds the files in which git sees no change, but whose bytes it would not restore.
Result<void> AddOddFiles(const Worktree& worktree, const CaptureRules& rules, WorktreeScan& scan);

}  // namespace belay

#endif  // BELAY_SNAPSHOT_WORKTREE_SCAN_H_
