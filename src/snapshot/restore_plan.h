// Plans a restore before anything is touched: values in, a plan out.
//
// The file of a path. The first matching row counts. A `raw` path counts as another content, since
// git would check out other bytes than those of the base.
//
//   the snapshot has         now there is                     then
//   ----------------------   ------------------------------   ------------------------------------
//   a submodule              anything                         skipped, its commit is named
//   what the base has        nothing, and that is staged      left alone
//   what the base has        nothing, and it is `missing`     checked out again, if nothing is in
//                                                             the way
//   what the base has        anything                         left alone
//   another content          that content                     nothing
//   another content          that, with other permissions     replaced
//   another content          nothing                          written
//   another content          what the base has                replaced
//   another content          a folder                         written, if the removals empty it
//   nothing, was submodule   a folder                         skipped: it stays
//   nothing any more         nothing, or a folder             nothing
//   nothing any more         what the base has                removed
//   anything else            anything else                    a conflict
//
// A file or link in the place of a needed folder is a conflict, unless the plan removes it.
//
// The entry of a path in the index:
//
//   the snapshot has         now there is                     then
//   ----------------------   ------------------------------   ------------------------------------
//   what the base has        anything                         left alone
//   something else           that                             nothing
//   something else           nothing, or what the base has    set
//   something else           anything else                    a conflict
//
// An entry that can't coexist with another one ("a" and "a/b") is a conflict, unless the plan
// removes the other.

#ifndef BELAY_SNAPSHOT_RESTORE_PLAN_H_
#define BELAY_SNAPSHOT_RESTORE_PLAN_H_

#include <array>
#include <string>
#include <vector>

#include "adapters/git/status.h"
#include "snapshot/restore.h"

namespace belay {

// The state of a path in an index.
struct IndexState {
  GitEntry entry = {};
  std::array<GitEntry, 3> stages = {};  // for an unmerged path; then there is no `entry`
  bool intent_to_add = false;           // the same

  bool IsThere() const;
  bool operator==(const IndexState&) const = default;
};

enum class FileNow {
  kNothing,
  kTarget,       // what the snapshot has
  kOtherRights,  // the same content, other permissions
  kBase,         // what the base has
  kFolder,
  kOther,  // changed since
};

struct PathToRestore {
  std::string path;
  GitEntry base = {};
  GitEntry target = {};  // the file, tracked or not
  IndexState target_index = {};
  FileNow now = FileNow::kNothing;
  bool now_regular = false;  // a regular file: it can be merged
  // Paths that the plan has to remove first: a file or link in the place of one of its folders; for
  // kFolder, its content.
  std::vector<std::string> blockers = {};
  IndexState index_now = {};
  bool missing = false;  // git reports that the file is missing
  bool raw = false;      // same as the base, but git would check out other bytes

  // The snapshot's file differs from the base.
  bool IsChanged() const { return raw || target != base; }
  // The snapshot has the base's version, and its deletion was staged since: that is intended.
  bool IsDeletedSince() const;
  // Settings of belay and of agents, and files beside them that were never committed, belong to the
  // worktree, not to the work in it: without them, belay and the agents that are started next would
  // behave differently.
  bool IsSettings() const;
};

struct PlannedWrite {
  std::string path;
  GitEntry entry;
  bool replaces = false;

  bool operator==(const PlannedWrite&) const = default;
};

struct PlannedIndex {
  std::string path;
  IndexState state;
  IndexState before = {};

  bool operator==(const PlannedIndex&) const = default;
};

// A path has two when both its file and its entry in the index are in conflict.
struct PlannedConflict {
  std::string path;
  std::string why;
  bool in_file = false;    // the content changed since; otherwise the index entry did
  bool can_merge = false;  // for in_file: three regular files, so git may merge them

  bool operator==(const PlannedConflict&) const = default;
};

struct RestorePlan {
  std::vector<PlannedWrite> writes = {};
  std::vector<std::string> removals = {};
  std::vector<std::string> checkouts = {};  // the base's version, through git's filters
  std::vector<PlannedIndex> index = {};
  std::vector<PlannedConflict> conflicts = {};
  std::vector<NotRestored> skipped = {};

  bool TakesAway() const;  // removes or replaces something
};

// `index_paths` are those that the present index may have in addition to the base.
RestorePlan PlanRestore(const std::vector<PathToRestore>& paths,
                        const std::vector<std::string>& index_paths);

}  // namespace belay

#endif  // BELAY_SNAPSHOT_RESTORE_PLAN_H_
