// The worktree that a snapshot command means: the one around --root, or else around the current
// folder. It needs no belay init. Where several parts are shared by a repository, such as settings
// and the vault, they are those of its project.

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

// A worktree whose snapshots have that name. Git must see the same one, or it is kUsage.
Result<SnapshotPlace> DescribePlace(Repository repository, KeepName keep, const Layout& project,
                                    Env& env);

// None around there, a bare one, or one of another project than $BELAY_STATE names: kUsage.
Result<SnapshotPlace> FindSnapshotPlace(Env& env);

// The same for another worktree of that repository, by the name that its snapshots have. None:
// kNotFound, with the names that there are.
Result<SnapshotPlace> FindWorktree(const SnapshotPlace& place, const KeepName& keep, Env& env);
// Of all worktrees of the repository, whether their folders are there or not.
std::vector<KeepName> WorktreeNames(const SnapshotPlace& place, const FileSystem& files);

// Those of a worktree: its own, and its agents' that were taken there.
Result<std::vector<SavedSnapshot>> ListSnapshotsHere(const SnapshotPlace& place);
// As FindSnapshot; a number alone is also one of an agent's that was taken in this worktree.
Result<SavedSnapshot> FindSnapshotHere(const SnapshotPlace& place, std::string_view text);

struct SnapshotSettings {
  CaptureRules rules = {};
  RetentionLimits limits = {};
  std::vector<std::string> warnings = {};
};

// For what deletes: mistakes in the configuration are an error.
Result<SnapshotSettings> ReadSnapshotSettings(const Env& env, const Layout& project);

// For what saves: mistakes in the configuration, such as the marks of a merge that isn't done, are
// a warning, and the defaults are used. Only with --config they are an error: it was just typed.
Result<SnapshotSettings> SnapshotSettingsOrDefaults(const Env& env, const Layout& project);

}  // namespace belay

#endif  // BELAY_APP_SNAPSHOT_PLACE_H_
