// Whether the branch that work lands on exists, and which one is probably meant if it doesn't: a
// repository's main branch isn't always called main.

#ifndef BELAY_MERGE_TARGET_BRANCH_H_
#define BELAY_MERGE_TARGET_BRANCH_H_

#include <string>

#include "adapters/git/git.h"
#include "base/result.h"

namespace belay {

struct TargetBranch {
  bool exists;  // or it is checked out and gets its first commit later
  // The branch that is meant, if the target doesn't exist: the one that origin names as its own,
  // main, master, or the only one. Empty: unclear.
  std::string likely = {};
};

// `git` runs in the main worktree.
Result<TargetBranch> InspectTargetBranch(const Git& git, const std::string& target);

// What to do about a target that doesn't exist.
std::string TargetHint(const TargetBranch& found);

// For an operation that needs the target: it has no commit, or doesn't exist. `configured`: it is
// merge.target.
Error NoTarget(const Git& git, const std::string& target, bool configured);

}  // namespace belay

#endif  // BELAY_MERGE_TARGET_BRANCH_H_
