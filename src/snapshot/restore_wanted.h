// A snapshot's differences from its base, path by path.

#ifndef BELAY_SNAPSHOT_RESTORE_WANTED_H_
#define BELAY_SNAPSHOT_RESTORE_WANTED_H_

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/git/status.h"
#include "base/result.h"
#include "snapshot/restore_plan.h"
#include "snapshot/saved_snapshot.h"

namespace belay {

struct WantedPath {
  GitEntry base = {};
  GitEntry target = {};  // the file, tracked or not
  IndexState index = {};
  // It gets the bytes and permissions of `target` even if that equals the base.
  bool raw = false;
};

using WantedPaths = std::map<std::string, WantedPath, std::less<>>;

struct Wanted {
  WantedPaths paths = {};
  std::vector<TreeChange> head = {};      // what `head` changed against the base
  std::vector<std::string> skipped = {};  // belay's own paths, which a snapshot shouldn't have
};

// `head` is the present HEAD; none: no commit yet. An unreadable snapshot: kDamaged. A snapshot
// with a path that leads out of a worktree or into a repository, or with files inside of files, was
// not made by belay: kRefused.
Result<Wanted> ReadWanted(const Git& git, const SavedSnapshot& snapshot, const ObjectId& head);

// A commit's entries at these paths; missing ones are omitted.
using GitEntries = std::map<std::string, GitEntry, std::less<>>;
Result<GitEntries> ReadEntries(const Git& git, const ObjectId& commit,
                               const std::vector<std::string>& paths);

// Whether a file may be written at this path, relative to the root of a worktree: no absolute path,
// no empty part, no "." or "..", no ".git" in any case.
bool IsInsideWorktree(std::string_view path);

}  // namespace belay

#endif  // BELAY_SNAPSHOT_RESTORE_WANTED_H_
