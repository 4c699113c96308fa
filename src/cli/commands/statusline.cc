// Serves as the status line of an agent: only a status line is given the size of the context.

#include <fmt/core.h>

#include "app/hook_event.h"
#include "cli/commands/commands.h"

namespace belay {
namespace {

// "login: testing, context 41 %"; unknown parts are left out.
std::string Line(const StatusLine& status) {
  std::string line(status.agent.name());
  if (status.phase) line += fmt::format(": {}", WorkPhaseName(*status.phase));
  if (status.fill)
    line += fmt::format("{} context {:.0f} %", status.phase ? "," : ":", *status.fill);
  return line;
}

}  // namespace

Result<int> RunStatusline(const Invocation&, Services& services) {
  const Result<std::string> input = services.io.read_in(kMostHookInput);
  if (!input) {
    return Error{ErrorCode::kUsage, "statusline: " + input.error().message,
                 "Claude Code calls it; set it as statusLine in its settings"};
  }
  const Result<std::optional<StatusLine>> status = RecordStatusLine(services, *input);
  if (status && *status) services.io.out += Line(**status) + "\n";
  return 0;
}

}  // namespace belay
