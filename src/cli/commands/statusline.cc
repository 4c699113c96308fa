// Serves as the status line of an agent: only a status line is given the size of the context.

#include <fmt/core.h>

#include "app/agents_view.h"
#include "app/hook_event.h"
#include "cli/commands/commands.h"

namespace belay {
namespace {

// "login: testing, context 41 %, 12m left"; unknown parts are left out.
std::string Line(const StatusLine& status, WallTime now) {
  std::vector<std::string> parts;
  if (status.phase) parts.emplace_back(WorkPhaseName(*status.phase));
  if (status.fill) parts.push_back(fmt::format("context {:.0f} %", *status.fill));
  if (status.timeout_at) parts.push_back(TimeLeftText(*status.timeout_at, now));
  std::string line(status.agent.name());
  for (std::size_t i = 0; i < parts.size(); ++i) line += (i == 0 ? ": " : ", ") + parts[i];
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
  if (status && *status) services.io.out += Line(**status, services.clock.Wall()) + "\n";
  return 0;
}

}  // namespace belay
