// After a deadline or a crash: finishes interrupted suspensions and acknowledgements, suspends each
// task whose agent missed its deadline (app/task_timeout.h), and resets to pending those whose
// worker timed out without a context, or whose context file is lost.

#ifndef BELAY_APP_TASK_SWEEP_H_
#define BELAY_APP_TASK_SWEEP_H_

#include <string>
#include <vector>

#include "app/env.h"
#include "base/result.h"

namespace belay {

struct SweepOutcome {
  struct Row {
    std::string id;
    std::string what;  // "finished", "reset", "suspended", "failed", "running"
    std::string why;
    std::string owner = {};  // of a task that was reset
  };
  std::vector<Row> rows = {};  // by id; tasks that need nothing are left out
  std::vector<std::string> warnings = {};
};
Result<SweepOutcome> SweepTasks(Env& env);

}  // namespace belay

#endif  // BELAY_APP_TASK_SWEEP_H_
