// Git changes index and files before it moves the branch: when the move is refused, they are at the
// refused commit, but the branch isn't. This returns them to HEAD, as they were before (MQ-6),
// while git still waits for the hook's answer; git doesn't touch them after the answer.
//
//   merge, pull (fast-forward)    index and files match the refused commit exactly: taken
//   reset --hard, checkout -B,    back. Any other change in the index or a tracked file: left.
//   a push into the checkout
//   merge, pull (of two sides)    the same, if git alone produces the refused commit from the
//                                 two, so that it holds no manual work; then the merge is aborted
//   rebase, pull --rebase         git writes more until it exits: only then can it be aborted,
//                                 by a process that waits for that (AbortRebase)
//   commit, cherry-pick, revert   the staged content is the user's work: left, with a hint how
//                                 to go back
//
// All discarded content is in the refused commit, which git keeps for a while.

#ifndef BELAY_MERGE_UNDO_REFUSED_MOVE_H_
#define BELAY_MERGE_UNDO_REFUSED_MOVE_H_

#include <string>

#include "adapters/git/git.h"
#include "merge/ref_policy.h"
#include "os/file_system.h"

namespace belay {

// The refused git and its action.
struct RefusedGit {
  std::string subcommand = {};  // "merge"; may be an alias of the user's
  std::string action = {};      // $GIT_REFLOG_ACTION: "merge login", or nothing
};

// After that git has exited, for a rebase without the user's help (calling_git.h): like `git rebase
// --abort`, if HEAD is still at the refused commit and nothing was changed.
Result<void> AbortRebase(const Git& git, const FileSystem& files, const GitPlace& place,
                         const ObjectId& commit);

// One line about the checkout for the refused user; may be empty.
std::string UndoRefusedMove(const Git& git, FileSystem& files, const GitPlace& place,
                            const RefusedGit& refused, const ObjectId& commit);

}  // namespace belay

#endif  // BELAY_MERGE_UNDO_REFUSED_MOVE_H_
