#include "app/stop.h"

#include <fmt/core.h>

#include "cli/commands/commands.h"
#include "cli/snapshot_text.h"
#include "os/exit_status.h"

namespace belay {
namespace {

std::string HowText(const StopAgentOutcome& stopped) {
  const std::optional<AgentExit>& exit = stopped.identity.exit;
  if (exit && exit->code) return ExitStatus::Exited(*exit->code).text();
  if (exit && exit->signal) return ExitStatus::Killed(*exit->signal).text();
  return "it never ran";
}

std::string Text(const StopAgentOutcome& stopped) {
  const std::string id = stopped.identity.id.text();
  std::string text = stopped.ran ? fmt::format("{} is stopped ({})\n", id, HowText(stopped))
                                 : fmt::format("{} was not running; it is not brought back\n", id);
  for (const std::string& snapshot : stopped.snapshots) {
    text += fmt::format("its work is kept: {}\n", snapshot);
  }
  return text;
}

Json Record(const StopAgentOutcome& stopped) {
  return MakeObject({{"agent_id", stopped.identity.id.text()},
                     {"status", AgentStatusName(stopped.identity.status)},
                     {"ran", stopped.ran},
                     {"killed", stopped.killed},
                     {"snapshots", TextList(stopped.snapshots)},
                     {"warnings", TextList(stopped.warnings)}});
}

}  // namespace

Result<int> RunStop(const Invocation& invocation, Services& services) {
  BELAY_TRY_ASSIGN(const StopAgentOutcome stopped,
                   StopAgent(services, {invocation.operands()[0], invocation.Has("--now")}));
  services.io.Show(Record(stopped), Text(stopped));
  return 0;
}

}  // namespace belay
