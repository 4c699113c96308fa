// Takes, restores and prunes snapshots, and records it where belay is set up. The snapshot itself
// is the truth: a failure to record it is a warning, never a failure.

#ifndef BELAY_APP_SNAPSHOTS_H_
#define BELAY_APP_SNAPSHOTS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "adapters/git/git.h"
#include "app/env.h"
#include "app/outcome.h"
#include "base/result.h"
#include "model/identity.h"
#include "snapshot/prune.h"
#include "snapshot/restore.h"
#include "snapshot/snapshot_changes.h"
#include "snapshot/take.h"
#include "store/layout.h"

namespace belay {

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

// The same for an agent, under its own name, in the worktree where it works. A worktree that is
// gone, or belongs to another repository: kNotFound.
Result<SnapshotTakeOutcome> TakeSnapshotOf(Env& env, const Layout& project, const Identity& agent,
                                           const std::string& message);

// What was taken, for records: the paths quoted as git does; only the first of very many.
Result<SnapshotOutcome> ChangesIn(const SnapshotTakeOutcome& taken);
// How many of its files git doesn't track; nothing when that is unknown.
std::optional<std::uint64_t> CountUntracked(const SnapshotTakeOutcome& taken);

struct SnapshotListRequest {
  std::optional<std::string> name =
      {};            // an agent, or else a worktree; nothing: the one around here
  bool all = false;  // of all worktrees and agents
};
struct SnapshotListOutcome {
  std::vector<SavedSnapshot> snapshots;
  std::optional<KeepName> keep;  // the owner; nothing: all owners
};
// An unknown name: kNotFound, with the names that exist.
Result<SnapshotListOutcome> ListSnapshotsNow(Env& env, const SnapshotListRequest& request);

struct SnapshotShowRequest {
  std::string snapshot;  // as on a command line
  bool changes = true;
  ProgramRequest::Output diff = {};  // receives the patch, piece by piece
};
struct SnapshotShowOutcome {
  SavedSnapshot snapshot;
  std::vector<SnapshotChange> changes = {};  // if asked for
};
Result<SnapshotShowOutcome> ShowSnapshot(Env& env, const SnapshotShowRequest& request);

struct SnapshotRestoreRequest {
  std::string snapshot;  // as on a command line
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
  std::optional<std::uint64_t> keep = {};  // for each worktree, instead of the settings
  std::optional<Duration> older_than = {};
  bool dry_run = false;
};
// What was deleted, or would be.
Result<std::vector<Expired>> PruneSnapshots(Env& env, const SnapshotPruneRequest& request);

}  // namespace belay

#endif  // BELAY_APP_SNAPSHOTS_H_
