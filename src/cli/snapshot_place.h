// The worktree that a snapshot command means: the one around --root, or else around the current
// folder. It needs no belay init. Where several parts are shared by a repository, such as settings
// and the vault, they are those of its project.

#ifndef BELAY_CLI_SNAPSHOT_PLACE_H_
#define BELAY_CLI_SNAPSHOT_PLACE_H_

#include <string>
#include <vector>

#include "adapters/git/git.h"
#include "base/result.h"
#include "cli/invocation.h"
#include "cli/services.h"
#include "snapshot/capture_rules.h"
#include "snapshot/retention.h"
#include "snapshot/snapshot_id.h"
#include "snapshot/worktree.h"
#include "store/layout.h"
#include "store/repository.h"

namespace belay {

struct SnapshotPlace {
  Repository repository;
  KeepName keep;
  Git git;  // in the worktree
  Layout project;

  Worktree At(Services& services) const {
    return {services.files, git, services.clock, repository};
  }
};

// A worktree whose snapshots have that name. Git must see the same one, or it is kUsage.
Result<SnapshotPlace> DescribePlace(Repository repository, KeepName keep, const Layout& project,
                                    Services& services);

// None around there, a bare one, or one of another project than $BELAY_STATE names: kUsage.
Result<SnapshotPlace> FindSnapshotPlace(const Invocation& invocation, Services& services);

// The same for another worktree of that repository, by the name that its snapshots have. None:
// kNotFound, with the names that there are.
Result<SnapshotPlace> FindWorktree(const SnapshotPlace& place, const KeepName& keep,
                                   Services& services);
// Of all worktrees of the repository, whether their folders are there or not.
std::vector<KeepName> WorktreeNames(const SnapshotPlace& place, const FileSystem& files);

struct SnapshotSettings {
  CaptureRules rules = {};
  RetentionLimits limits = {};
  std::vector<std::string> warnings = {};
};

// For what deletes: mistakes in the configuration are an error.
Result<SnapshotSettings> ReadSnapshotSettings(const Invocation& invocation,
                                              const Services& services, const Layout& project);

// For what saves: mistakes in the configuration, such as the marks of a merge that isn't done, are
// a warning, and the defaults are used. Only with --config they are an error: it was just typed.
Result<SnapshotSettings> SnapshotSettingsOrDefaults(const Invocation& invocation,
                                                    const Services& services,
                                                    const Layout& project);

}  // namespace belay

#endif  // BELAY_CLI_SNAPSHOT_PLACE_H_
