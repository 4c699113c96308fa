// The present worktree compared with a snapshot: the input of PlanRestore.

#ifndef BELAY_SNAPSHOT_RESTORE_PRESENT_H_
#define BELAY_SNAPSHOT_RESTORE_PRESENT_H_

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "adapters/git/status.h"
#include "base/result.h"
#include "os/file_system.h"
#include "snapshot/restore_plan.h"
#include "snapshot/restore_wanted.h"
#include "snapshot/work_folder.h"

namespace belay {

// A file or link at one moment.
struct InspectedFile {
  FileInfo info;
  GitEntry entry = {};  // of a file or link: its raw bytes, without filters
};

// By path; missing files are omitted.
using InspectedPaths = std::map<std::string, InspectedFile, std::less<>>;

struct Present {
  std::vector<PathToRestore> paths = {};
  std::vector<std::string> index_paths = {};
  InspectedPaths seen = {};
};

// Also covers tracked files that are missing now and unchanged in the snapshot.
Result<Present> InspectPresent(const Worktree& worktree, const SavedSnapshot& snapshot,
                               const Wanted& wanted, const GitStatus& status);

// The present index state of each path in `wanted`.
std::map<std::string, IndexState, std::less<>> PresentIndex(const Wanted& wanted,
                                                            const GitStatus& status);

// The first part of `path` that is a file or a link instead of a folder; nullopt when all are
// folders or don't exist.
Result<std::optional<std::string>> FindBlocker(const FileSystem& files, const std::string& root,
                                               std::string_view path);

// Two regular files, piece by piece.
Result<bool> HaveSameBytes(const FileSystem& files, const std::string& one,
                           const std::string& other);

// Whether everything in the folder `path` below `root`, except folders, is among `known`.
bool HoldsOnlyPaths(const FileSystem& files, const std::string& root, const std::string& path,
                    const std::set<std::string, std::less<>>& known);

}  // namespace belay

#endif  // BELAY_SNAPSHOT_RESTORE_PRESENT_H_
