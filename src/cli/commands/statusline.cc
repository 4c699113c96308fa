// As the status line of an agent: it is given how large the context is, which stands nowhere else.

#include <fmt/core.h>

#include "app/hook_event.h"
#include "cli/commands/commands.h"
#include "ledger/hook_ledger.h"

namespace belay {
namespace {

// "login: testing, context 41 %"; what isn't known is left out.
std::string Line(Services& services, const RecordedEvent& recorded) {
  std::string line(recorded.agent.name());
  HookLedger hooks(services.files, services.clock, recorded.project);
  const std::optional<HookGlance> hook =
      hooks.Skim() ? hooks.book().Glance(recorded.agent) : std::nullopt;
  if (hook) line += fmt::format(": {}", WorkPhaseName(hook->work_phase));
  const std::optional<double> fill = recorded.event.fill ? recorded.event.fill
                                     : hook              ? hook->context_fill
                                                         : std::nullopt;
  if (fill) line += fmt::format("{} context {:.0f} %", hook ? "," : ":", *fill);
  return line;
}

}  // namespace

Result<int> RunStatusline(const Invocation&, Services& services) {
  const Result<std::string> input = services.io.read_in(kMostHookInput);
  if (!input) {
    return Error{ErrorCode::kUsage, "statusline: " + input.error().message,
                 "it is for the setting statusLine of Claude Code"};
  }
  const Result<std::optional<RecordedEvent>> recorded =
      RecordHookEvent(services, "statusline", StatusLineEvent(), *input);
  if (recorded && *recorded) services.io.out += Line(services, **recorded) + "\n";
  return 0;
}

}  // namespace belay
