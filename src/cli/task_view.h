// How tasks look: rows for people and records for scripts; and options that several commands share.

#ifndef BELAY_CLI_TASK_VIEW_H_
#define BELAY_CLI_TASK_VIEW_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/task_list.h"
#include "app/task_resume.h"
#include "base/time.h"
#include "cli/invocation.h"
#include "codec/json.h"
#include "ui/table.h"

namespace belay {

Json TaskListJson(const std::vector<TaskRow>& rows, const TaskBook& book);
Table TaskTable(const std::vector<TaskRow>& rows, WallTime now);
Json ResumedJson(const ResumeTaskOutcome& outcome);

// --worker, or --agent.
std::optional<std::string> WorkerOption(const Invocation& invocation);

// "30m", from `now` on, or a time in UTC. Anything else: kUsage.
Result<WallTime> ParseDeadline(std::string_view text, WallTime now);

}  // namespace belay

#endif  // BELAY_CLI_TASK_VIEW_H_
