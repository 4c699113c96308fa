// The worktree that a snapshot command works on: the one around --root, or else around the current
// folder. It needs no belay init. What a repository shares, such as settings and the vault, comes
// from its project.

#ifndef BELAY_APP_SNAPSHOT_PLACE_H_
#define BELAY_APP_SNAPSHOT_PLACE_H_

#include <string>
#include <vector>

#include "adapters/git/git.h"
#include "app/env.h"
#include "base/result.h"
#include "snapshot/capture_rules.h"
#include "snapshot/prune.h"
#include "snapshot/saved_snapshot.h"
#include "snapshot/work_folder.h"
#include "store/layout.h"
#include "store/repository.h"

namespace belay {

struct SnapshotPlace {
  Repository repository;
  KeepName keep;
  Git git;  // in the worktree
  Layout project;

  Worktree At(Env& env) const { return {env.files, git, env.clock, repository}; }
};

// A worktree whose snapshots have that name. Git must see the same worktree, or it is kUsage.
Result<SnapshotPlace> DescribePlace(Repository repository, KeepName keep, const Layout& project,
                                    Env& env);

// kUsage: no worktree there, a bare repository, or a worktree of another project than $BELAY_STATE
// names.
Result<SnapshotPlace> FindSnapshotPlace(Env& env);

// The same for another worktree of that repository, by the name of its snapshots. None: kNotFound,
// with the names that exist.
Result<SnapshotPlace> FindWorktree(const SnapshotPlace& place, const KeepName& keep, Env& env);
// For all worktrees of the repository, whether their folders exist or not.
std::vector<KeepName> WorktreeNames(const SnapshotPlace& place, const FileSystem& files);

// The snapshots of a worktree: its own, and those that its agents took there.
Result<std::vector<SavedSnapshot>> ListSnapshotsHere(const SnapshotPlace& place);
// As FindSnapshot; a number alone may also be an agent's snapshot that was taken in this worktree.
Result<SavedSnapshot> FindSnapshotHere(const SnapshotPlace& place, std::string_view text);

struct SnapshotSettings {
  CaptureRules rules = {};
  RetentionLimits limits = {};
  std::vector<std::string> warnings = {};
};

// For operations that delete: mistakes in the configuration are an error.
Result<SnapshotSettings> ReadSnapshotSettings(const Env& env, const Layout& project);

// For operations that save: mistakes in the configuration, such as the markers of an unfinished
// merge, are a warning, and the defaults are used. Only with --config they are an error: the user
// just typed it.
Result<SnapshotSettings> SnapshotSettingsOrDefaults(const Env& env, const Layout& project);

}  // namespace belay

#endif  // BELAY_APP_SNAPSHOT_PLACE_H_
