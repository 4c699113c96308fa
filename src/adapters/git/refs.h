// Refs, changed only by those who know what they say.

#ifndef BELAY_ADAPTERS_GIT_REFS_H_
#define BELAY_ADAPTERS_GIT_REFS_H_

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/git/git.h"
#include "adapters/git/object_id.h"
#include "base/result.h"
#include "os/file_system.h"

namespace belay {

struct CommitRef {
  std::string name;
  ObjectId commit;
  std::vector<ObjectId> parents;
  std::string message;
};

// All refs below `prefix` that point to commits, by name with numbers in their order. One that
// points to something else, or to what is missing, is left out.
Result<std::vector<CommitRef>> ListRefs(const Git& git, std::string_view prefix);
// The one with the highest number directly below `prefix`; none: nothing.
Result<std::optional<CommitRef>> LastRef(const Git& git, std::string_view prefix);

// False when the ref is there already, or what is left of one.
Result<bool> CreateRef(const Git& git, const std::string& name, const ObjectId& commit);

struct RefAndValue {
  std::string name;
  ObjectId commit;
};
// All or none: kBusy when one of them says something else meanwhile, or is gone.
Result<void> DeleteRefs(const Git& git, std::span<const RefAndValue> refs);

// What a ref says, without asking git: a start of git takes longer than all else about it.

// By the file of its own that a ref has as long as nobody packed it, which counts more than what is
// packed. Nothing: it has no such file, or that is a symbolic ref; only git knows what it says.
std::optional<ObjectId> ReadLooseRef(const FileSystem& files, const std::string& common_folder,
                                     const std::string& name);

// Moves a branch, if it still says what it is thought to say. The one that a symbolic branch stands
// for is never moved or deleted in its place.

struct RefMove {
  std::string name;  // "refs/heads/main"
  ObjectId from;
  ObjectId to;            // none: it is deleted
  std::string reason;     // for git's log of the ref, one line
  std::string drop = {};  // another one that goes with it, whatever it says
};

// When it returns, the move is on the disk. A ref that says `to` already, or is deleted already, is
// fine: whoever was killed in between can do it again. Says something else: kBusy, as when somebody
// holds git's lock of it. `common_folder` is that of the repository.
Result<void> MoveRef(const Git& git, FileSystem& files, const std::string& common_folder,
                     const RefMove& move);

// The same, with something that is done while git holds the lock of the ref and has seen that it
// says `from`: nobody else can move it in between. `between` decides whether it is moved then; if
// it says no, or gives an error, the ref stays. False: it said no. Killed in between: the ref
// stays.
using BetweenLockAndMove = std::function<Result<bool>()>;
Result<bool> MoveRefAround(const Git& git, FileSystem& files, const std::string& common_folder,
                           const RefMove& move, const BetweenLockAndMove& between);

// Refs that git can't use: what they name is missing, or they name nothing. One of them is enough
// to make `git gc`, `git prune` and `git fetch` fail in the whole repository.

struct BrokenRef {
  enum class Why {
    kUnreadable,  // its file holds no id
    kLost,        // the object that it names is missing
    kIncomplete,  // that object is there, but something that it needs is missing
  };

  std::string name;
  Why why;
  ObjectId commit = {};      // none of an unreadable one
  std::string missing = {};  // of an incomplete one: git's words

  bool operator==(const BrokenRef&) const = default;
};

struct RefHealth {
  std::size_t count = 0;  // of all refs that were looked at
  std::vector<BrokenRef> broken = {};
};

// Of all refs below `prefix` ("refs/belay/"). What the branches have is taken to be whole.
Result<RefHealth> InspectRefs(const Git& git, std::string_view prefix);

}  // namespace belay

#endif  // BELAY_ADAPTERS_GIT_REFS_H_
