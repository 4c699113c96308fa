// Takes, restores and prunes snapshots, and records it where belay is set up. The snapshot itself
// is the truth: a failure to record it is a warning, never a failure.

#ifndef BELAY_APP_SNAPSHOTS_H_
#define BELAY_APP_SNAPSHOTS_H_

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "adapters/git/git.h"
#include "app/env.h"
#include "app/program_outcome.h"
#include "app/snapshots.h"
#include "base/result.h"
#include "model/identity.h"
#include "snapshot/capture_list.h"
#include "snapshot/prune.h"
#include "snapshot/restore.h"
#include "snapshot/saved_snapshot.h"
#include "snapshot/take.h"
#include "snapshot/work_folder.h"
#include "store/layout.h"
#include "store/repository.h"

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

// The worktree that a snapshot command works on: the one around --root, or else around the current
// folder. It needs no belay init. What a repository shares, such as settings and the vault, comes
// from its project.

struct SnapshotPlace {
  Repository repository;
  KeepName keep;
  Git git;  // in the worktree
  Layout project;

  Worktree At(Env& env) const { return {env.files, git, env.clock, repository}; }
};

// The commits of all snapshots that must be kept, whatever their age: every family of records is
// asked, and every context file. A journal that can't be read is an error: it may name one.
Result<std::set<ObjectId>> NamedSnapshots(Env& env, const SnapshotPlace& place);

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

#endif  // BELAY_APP_SNAPSHOTS_H_
