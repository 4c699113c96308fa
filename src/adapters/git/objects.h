// Commits in the object store: made durable, published from a merge room, checked for missing
// parts.

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
  ObjectId parent;  // the first one: among those to sync, or on the disk already; none: a root
  ObjectId tree;
};

// When it returns, all that they have and their parents haven't is on the disk: with the parents,
// all of them. Objects are synced one by one, or the whole disk at once when there are many.
Result<void> SyncCommits(const MergeRoom& room, std::span<const CommitToSync> commits);

// Puts a commit that was built in a merge room into the repository: as one pack, on the disk when
// it returns.
//
// No `git prune` or `git gc` of another process can take it away again, whatever they were told and
// whenever they began: prune removes no packs, and gc none that has a `.keep` file, which is there
// before git can see the pack. Once a ref holds the commit, that file has done its work.
//
//   objects/pack/pack-HASH.keep    "belay builds a candidate"

// With all that it holds and that can't be reached from `known`: every object is read, so one that
// is missing is an error. Gives the path of the `.keep` file.
Result<std::string> PublishCommit(const MergeRoom& room, const ObjectId& commit,
                                  std::span<const ObjectId> known);

// Removes a `.keep` file of ours. One that isn't there, or isn't ours, is fine.
Result<void> ReleasePack(FileSystem& files, const std::string& keep_file);

// Removes the `.keep` files that killed processes left. No process may be building meanwhile.
Result<void> ReleaseLeftPacks(FileSystem& files, const std::string& common_folder);

// Whether a commit is in the repository with everything it needs.

// The arguments of a git that succeeds if every commit, tree and blob of `commit` is there, beyond
// those that `known` has, and else names the first that isn't. `known` is taken to be whole.
std::vector<std::string> WholeCommitQuestion(const std::string& commit, const std::string& known);

}  // namespace belay

#endif  // BELAY_ADAPTERS_GIT_OBJECTS_H_
