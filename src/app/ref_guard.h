// Answers git's hook before refs move. It runs in every transaction of every git in the repository,
// so it reads only what it needs, and no configuration. When it can't decide, git continues, with a
// warning: a guard rail that locks people out of their repository would be worse than none, and
// drift is noticed anyway.

#ifndef BELAY_APP_REF_GUARD_H_
#define BELAY_APP_REF_GUARD_H_

#include <functional>
#include <string>

#include "app/env.h"
#include "base/result.h"

namespace belay {

struct RefGuardRequest {
  pid_t git;                                  // the process that called the hook
  std::string input;                          // the input of the hook (merge/ref_policy.h)
  std::function<bool()> go_on_in_background;  // os/this_process.h
};
// kRefused, with the reason and what was done to the checkout.
Result<void> GuardRefs(Env& env, const RefGuardRequest& request);

}  // namespace belay

#endif  // BELAY_APP_REF_GUARD_H_
