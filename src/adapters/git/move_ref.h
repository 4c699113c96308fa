// Moves a branch, if it still says what it is thought to say. The one that a symbolic branch stands
// for is never moved or deleted in its place.

#ifndef BELAY_ADAPTERS_GIT_MOVE_REF_H_
#define BELAY_ADAPTERS_GIT_MOVE_REF_H_

#include <functional>
#include <string>

#include "adapters/git/git.h"
#include "adapters/git/object_id.h"
#include "base/result.h"
#include "os/file_system.h"

namespace belay {

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

}  // namespace belay

#endif  // BELAY_ADAPTERS_GIT_MOVE_REF_H_
