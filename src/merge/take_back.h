// Git changes index and files before it moves the branch: when the move is refused, they stand at
// the commit that was refused, and the branch does not. This takes them back to where HEAD is, as
// they were found (MQ-6), while git still waits for the answer of the hook; it does nothing more
// with them once it has it.
//
//   merge, pull (forward)         index and files are those of the refused commit, exactly: taken
//   reset --hard, checkout -B,    back. Anything else in the index or a file that git tracks: left.
//   a push into the checkout
//   merge, pull (of two sides)    the same, if the refused commit is what git makes of the two by
//                                 itself, so that nobody's work is in it; then the merge is over
//   rebase, pull --rebase         git has more to write until it ends: only then can it be aborted,
//                                 by somebody who waits for that (AbortRebase)
//   commit, cherry-pick, revert   what is staged is somebody's work: left, and it is said how to go
//                                 back
//
// All that is taken back is in the refused commit, which git keeps for a while.

#ifndef BELAY_MERGE_TAKE_BACK_H_
#define BELAY_MERGE_TAKE_BACK_H_

#include <string>

#include "adapters/git/git.h"
#include "adapters/git/object_id.h"
#include "merge/ref_guard.h"
#include "os/file_system.h"

namespace belay {

// What the git is doing that was refused.
struct RefusedGit {
  std::string subcommand = {};  // "merge"; may be an alias of the user's
  std::string action = {};      // $GIT_REFLOG_ACTION: "merge login", or nothing
};

// When that git has ended, of a rebase that nobody had a hand in (calling_git.h): as `git rebase
// --abort`, if HEAD is still at the refused commit and nothing was changed.
Result<void> AbortRebase(const Git& git, const FileSystem& files, const GitPlace& place,
                         const ObjectId& commit);

// One line about the checkout for whoever was refused; empty when there is nothing to say.
std::string TakeBack(const Git& git, FileSystem& files, const GitPlace& place,
                     const RefusedGit& refused, const ObjectId& commit);

}  // namespace belay

#endif  // BELAY_MERGE_TAKE_BACK_H_
