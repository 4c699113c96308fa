// What git asks by its hook before it moves refs: runs in every transaction of every git in the
// repository, so it looks at nothing it doesn't need, and reads no configuration. When it can't
// tell, git goes on, with a warning: a guard rail that locks people out of their repository would
// be worse than none, and drift is noticed anyway.

#ifndef BELAY_APP_REF_GUARD_H_
#define BELAY_APP_REF_GUARD_H_

#include <functional>
#include <string>

#include "app/env.h"
#include "base/result.h"

namespace belay {

struct RefGuardRequest {
  pid_t git;                                  // the process that asks
  std::string input;                          // of its hook (merge/ref_guard.h)
  std::function<bool()> go_on_in_background;  // os/this_process.h
};
// kRefused, saying why and what became of the checkout.
Result<void> GuardRefs(Env& env, const RefGuardRequest& request);

}  // namespace belay

#endif  // BELAY_APP_REF_GUARD_H_
