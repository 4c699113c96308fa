// Looks at a checkout that may follow its branch: what is where, path by path.

#ifndef BELAY_ADAPTERS_GIT_FOLLOW_LOOK_H_
#define BELAY_ADAPTERS_GIT_FOLLOW_LOOK_H_

#include <vector>

#include "adapters/git/checkout_facts.h"
#include "adapters/git/follow_checkout.h"
#include "adapters/git/local_programs.h"
#include "adapters/git/tree_changes.h"
#include "base/result.h"

namespace belay {

struct FollowPlan {
  bool index_is_new;             // all of it
  std::vector<TreeChange> done;  // begun or finished before a kill: to be written again
};

// What is to be done, or an error that says what stands in the way (kRefused, kBusy).
Result<FollowPlan> PlanFollowing(const Checkout& checkout, const FollowRequest& request,
                                 const LocalPrograms& programs);

}  // namespace belay

#endif  // BELAY_ADAPTERS_GIT_FOLLOW_LOOK_H_
