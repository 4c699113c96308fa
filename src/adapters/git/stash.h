// Entries of `git stash list` for commits that belay keeps under its own refs: a second, familiar
// way to find them. The list belongs to the user; only our own entries are ever removed.
//
// git names an entry by its position, which every other store and drop shifts. So callers hold one
// lock of belay's while they change the list.

#ifndef BELAY_ADAPTERS_GIT_STASH_H_
#define BELAY_ADAPTERS_GIT_STASH_H_

#include <set>
#include <string>
#include <vector>

#include "adapters/git/git.h"
#include "base/result.h"
#include "os/file_system.h"

namespace belay {

struct StashEntry {
  ObjectId commit;
  std::string message;
};
// The latest first.
Result<std::vector<StashEntry>> ListStash(const Git& git);

// The commits in the list. Reads git's own log of it, which is faster than asking git; asks git
// where that isn't a file (reftable). `common_folder` is the repository's.
Result<std::set<ObjectId>> StashedCommits(const Git& git, const FileSystem& files,
                                          const std::string& common_folder);

// Adds a commit of the shape of a stash, with that message.
Result<void> StoreStash(const Git& git, const ObjectId& commit, const std::string& message);

// Removes our entry if its position still holds our commit. False: it isn't in the list. An entry
// that another process moved into that position at the same moment is put back, with its message.
Result<bool> DropStash(const Git& git, const ObjectId& commit);

}  // namespace belay

#endif  // BELAY_ADAPTERS_GIT_STASH_H_
