// Refs are only changed by callers that know their current value.

#ifndef BELAY_ADAPTERS_GIT_REFS_H_
#define BELAY_ADAPTERS_GIT_REFS_H_

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/git/git.h"
#include "base/result.h"
#include "os/file_system.h"

namespace belay {

struct CommitRef {
  std::string name;
  ObjectId commit;
  std::vector<ObjectId> parents;
  std::string message;
};

// All refs below `prefix` that point to commits, by name with numbers in numeric order. Refs that
// point to other objects, or to missing ones, are left out.
Result<std::vector<CommitRef>> ListRefs(const Git& git, std::string_view prefix);
// The one with the highest number directly below `prefix`; nullopt: none.
Result<std::optional<CommitRef>> LastRef(const Git& git, std::string_view prefix);

// False when the ref already exists, or the remains of one.
Result<bool> CreateRef(const Git& git, const std::string& name, const ObjectId& commit);

struct RefAndValue {
  std::string name;
  ObjectId commit;
};
// All or none: kBusy when one of them has changed or is gone.
Result<void> DeleteRefs(const Git& git, std::span<const RefAndValue> refs);

// Reads a ref without git: starting git takes longer than all the rest.

// Reads the ref's own file, which exists until the ref is packed and takes precedence over packed
// refs. Nullopt: there is no such file, or it is a symbolic ref; only git can read it then.
std::optional<ObjectId> ReadLooseRef(const FileSystem& files, const std::string& common_folder,
                                     const std::string& name);

// Makes a ref durable that git has just written: git syncs its file, but no folder, and any of them
// may be new. A missing folder means that the ref is packed, in a file of the common folder.
Result<void> SyncRefFolders(FileSystem& files, const std::string& common_folder,
                            std::string_view name);

// Moves a branch, if it still has the expected value. The target of a symbolic branch is never
// moved or deleted in its place.

struct RefMove {
  std::string name;  // "refs/heads/main"
  ObjectId from;
  ObjectId to;            // none: it is deleted
  std::string reason;     // for the reflog, one line
  std::string drop = {};  // another ref to delete with it, whatever its value
};

// When it returns, the move is on the disk. Succeeds if the ref already is at `to`, or already
// deleted: a killed caller can repeat it. Another value: kBusy, as when another process holds git's
// lock on it. `common_folder` is the repository's.
Result<void> MoveRef(const Git& git, FileSystem& files, const std::string& common_folder,
                     const RefMove& move);

// The same, with an action while git holds the lock on the ref and has verified `from`: no other
// process can move it in between. `between` decides whether the ref is moved; it stays if `between`
// returns false or an error, or on a kill. Returns false if `between` did.
using BetweenLockAndMove = std::function<Result<bool>()>;
Result<bool> MoveRefAround(const Git& git, FileSystem& files, const std::string& common_folder,
                           const RefMove& move, const BetweenLockAndMove& between);

// Refs that git can't use: their object is missing, or they contain no id. One of them is enough to
// make `git gc`, `git prune` and `git fetch` fail in the whole repository.

struct BrokenRef {
  enum class Why {
    kUnreadable,  // its file holds no id
    kLost,        // the object that it names is missing
    kIncomplete,  // the object exists, but something that it needs is missing
  };

  std::string name;
  Why why;
  ObjectId commit = {};      // none for an unreadable ref
  std::string missing = {};  // for an incomplete ref: git's message

  bool operator==(const BrokenRef&) const = default;
};

struct RefHealth {
  std::size_t count = 0;  // all refs that were checked
  std::vector<BrokenRef> broken = {};
};

// Checks all refs below `prefix` ("refs/belay/"). Everything that branches hold is assumed
// complete.
Result<RefHealth> InspectRefs(const Git& git, std::string_view prefix);

}  // namespace belay

#endif  // BELAY_ADAPTERS_GIT_REFS_H_
