// Taking, restoring and pruning snapshots, and recording that where belay is set up. The snapshot
// itself is the truth: what can't be recorded is a warning, never a failure.

#ifndef BELAY_APP_SNAPSHOTS_H_
#define BELAY_APP_SNAPSHOTS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/git/git.h"
#include "app/env.h"
#include "base/result.h"
#include "model/identity.h"
#include "snapshot/prune.h"
#include "snapshot/restore.h"
#include "snapshot/take.h"
#include "store/layout.h"

namespace belay {

// The agent that is called so; nothing when none is, or when belay isn't set up.
Result<std::optional<Identity>> FindAgentNamed(const Layout& project, std::string_view text,
                                               Env& env);

struct SnapshotTakeRequest {
  std::optional<std::string> of = {};  // an agent, or else a worktree; nothing: the one around here
  std::optional<std::string> message = {};
};
struct SnapshotTakeOutcome {
  Taken taken;
  Git git;  // where it was taken
  std::vector<std::string> warnings = {};
};
// With the settings in force.
Result<SnapshotTakeOutcome> TakeSnapshotNow(Env& env, const SnapshotTakeRequest& request);

// The same of an agent, under its own name, in the worktree where it works. A worktree that is
// gone, or belongs to another repository: kNotFound.
Result<SnapshotTakeOutcome> TakeWorkOf(Env& env, const Layout& project, const Identity& agent,
                                       const std::string& message);

// The paths of a snapshot, as records have them: quoted as git does.
Result<std::vector<std::string>> ChangedPaths(const Git& git, const SavedSnapshot& snapshot);

struct SnapshotRestoreRequest {
  std::string snapshot;  // as a command line names it
  std::optional<std::string> into = {};
  bool merge = false;
  bool dry_run = false;
};
struct SnapshotRestoreOutcome {
  SavedSnapshot snapshot;
  Restored restored;          // with conflicts: nothing was changed
  std::string worktree = {};  // where it is restored; empty: into a folder
  std::optional<std::string> into = {};
  std::vector<std::string> warnings = {};
};
Result<SnapshotRestoreOutcome> RestoreSnapshotNow(Env& env, const SnapshotRestoreRequest& request);

struct SnapshotPruneRequest {
  std::optional<std::uint64_t> keep = {};  // of each worktree, instead of what the settings say
  std::optional<Duration> older_than = {};
  bool dry_run = false;
};
// What was deleted, or would be.
Result<std::vector<Expired>> PruneSnapshots(Env& env, const SnapshotPruneRequest& request);

}  // namespace belay

#endif  // BELAY_APP_SNAPSHOTS_H_
