// What the context of a worker says that was stopped at its deadline, and so can't write it itself:
// put together from what belay knows about it. Pure.
//
// The text is data for the worker that continues, as if the worker had written it. Secrets in it
// are masked. What matters most comes first, because contexts are cut at their end.

#ifndef BELAY_ENGINE_TASK_TIMEOUT_CONTEXT_H_
#define BELAY_ENGINE_TASK_TIMEOUT_CONTEXT_H_

#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "model/hook.h"

namespace belay {

struct TimeoutFacts {
  std::string worker = {};                // "worker-a#2"
  std::optional<WallTime> deadline = {};  // that it missed
  const Hook* hook = nullptr;             // null: none
  std::vector<std::string> words = {};    // of its model, from the transcript; latest first
  std::vector<std::string> screen = {};   // the end of its screen, top to bottom
};
struct TimeoutContext {
  std::string last_action = {};
  std::string state = {};
};
TimeoutContext DescribeTimeout(const TimeoutFacts& facts);

}  // namespace belay

#endif  // BELAY_ENGINE_TASK_TIMEOUT_CONTEXT_H_
