// Looks at a checkout that may follow its branch: what is where, path by path.

#ifndef BELAY_ADAPTERS_GIT_FOLLOW_LOOK_H_
#define BELAY_ADAPTERS_GIT_FOLLOW_LOOK_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/git/follow_checkout.h"
#include "adapters/git/local_programs.h"
#include "adapters/git/tree_changes.h"
#include "base/result.h"
#include "os/environment.h"

namespace belay {

// A checkout with the doors to it; everything is borrowed.
struct Checkout {
  const Git& git;
  FileSystem& files;
  const GitWorktree& worktree;
  Environment::Variables environment;  // for calls of git
  bool unfinished;                     // somebody was killed while following to the same commit

  Result<GitAnswer> Run(GitCall call) const;
};

struct FollowPlan {
  bool index_is_new;             // all of it
  std::vector<TreeChange> done;  // begun or finished before a kill: to be written again
};

// What is to be done, or an error that says what stands in the way (kRefused, kBusy).
Result<FollowPlan> PlanFollowing(const Checkout& checkout, const FollowRequest& request,
                                 const LocalPrograms& programs);

}  // namespace belay

#endif  // BELAY_ADAPTERS_GIT_FOLLOW_LOOK_H_
