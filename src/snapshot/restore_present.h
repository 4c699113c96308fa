// The worktree as it is now, beside what a snapshot has: what PlanRestore needs to know.

#ifndef BELAY_SNAPSHOT_RESTORE_PRESENT_H_
#define BELAY_SNAPSHOT_RESTORE_PRESENT_H_

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "adapters/git/status.h"
#include "base/result.h"
#include "os/file_system.h"
#include "snapshot/restore_plan.h"
#include "snapshot/restore_wanted.h"
#include "snapshot/work_folder.h"

namespace belay {

// A file or link at a moment.
struct LookedAt {
  FileInfo info;
  GitEntry entry = {};  // of a file or link: its bytes as they are, without filters
};

// By path; what isn't there isn't named.
using LookedAtPaths = std::map<std::string, LookedAt, std::less<>>;

struct Present {
  std::vector<PathToRestore> paths = {};
  std::vector<std::string> index_paths = {};
  LookedAtPaths seen = {};
};

// Also of tracked files that are missing and that the snapshot had as the base has them.
Result<Present> LookAtPresent(const Worktree& worktree, const SavedSnapshot& snapshot,
                              const Wanted& wanted, const GitStatus& status);

// What the index says now about each path of `wanted`.
std::map<std::string, IndexState, std::less<>> PresentIndex(const Wanted& wanted,
                                                            const GitStatus& status);

// The first part of `path` that leads there and isn't a folder but a file or a link; nothing when
// all are folders or aren't there.
Result<std::optional<std::string>> FindBlocker(const FileSystem& files, const std::string& root,
                                               std::string_view path);

// Nothing: there is nothing.
Result<std::optional<FileInfo>> InspectIfThere(const FileSystem& files, const std::string& path);

}  // namespace belay

#endif  // BELAY_SNAPSHOT_RESTORE_PRESENT_H_
