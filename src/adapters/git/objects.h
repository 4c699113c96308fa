// Commits in the object store: makes them durable, publishes them from a merge room, checks them
// for missing parts.

#ifndef BELAY_ADAPTERS_GIT_OBJECTS_H_
#define BELAY_ADAPTERS_GIT_OBJECTS_H_

#include <span>
#include <string>
#include <vector>

#include "adapters/git/merge_room.h"
#include "adapters/git/object_id.h"
#include "base/result.h"
#include "os/file_system.h"

namespace belay {

struct CommitToSync {
  ObjectId commit;
  ObjectId parent;  // the first one: also in the list, or already durable; none: a root
  ObjectId tree;
};

// When it returns, everything that they have and their parents lack is on the disk: together with
// the parents, all of it. Objects are synced one by one, or the whole disk at once when there are
// many.
Result<void> SyncCommits(const MergeRoom& room, std::span<const CommitToSync> commits);

// Copies a commit from a merge room into the repository: as one pack, on the disk when it returns.
//
// No `git prune` or `git gc` of another process can delete it again, whatever their options and
// start time: prune removes no packs, and gc none with a `.keep` file, which exists before git can
// see the pack. Once a ref holds the commit, that file is no longer needed.
//
//   objects/pack/pack-HASH.keep    "belay builds a candidate"

// Includes everything that can't be reached from `known`: every object is read, so a missing one is
// an error. Returns the path of the `.keep` file.
Result<std::string> PublishCommit(const MergeRoom& room, const ObjectId& commit,
                                  std::span<const ObjectId> known);

// Removes one of our `.keep` files. Succeeds if it doesn't exist or isn't ours.
Result<void> ReleasePack(FileSystem& files, const std::string& keep_file);

// Removes the `.keep` files that killed processes left. No process may be building at that time.
Result<void> ReleaseLeftPacks(FileSystem& files, const std::string& common_folder);

// Whether a commit is in the repository with everything it needs.

// The arguments for a git that succeeds if every commit, tree and blob of `commit` exists, except
// those that `known` has, and otherwise names the first missing one. `known` is assumed complete.
std::vector<std::string> WholeCommitQuestion(const std::string& commit, const std::string& known);

}  // namespace belay

#endif  // BELAY_ADAPTERS_GIT_OBJECTS_H_
