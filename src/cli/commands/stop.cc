#include "app/stop.h"

#include <fmt/core.h>

#include "cli/commands/commands.h"
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
  std::string text = stopped.ran ? fmt::format("{} has stopped ({})\n", id, HowText(stopped))
                                 : fmt::format("{} was not running; it won't be restarted\n", id);
  for (const std::string& snapshot : stopped.snapshots) {
    text += fmt::format("saved its work: {}\n", snapshot);
  }
  return text;
}

Json Record(const StopAgentOutcome& stopped) {
  return MakeObject({{"agent_id", stopped.identity.id.text()},
                     {"status", AgentStatusName(stopped.identity.status)},
                     {"ran", stopped.ran},
                     {"killed", stopped.killed},
                     {"snapshots", MakeArray(stopped.snapshots)},
                     {"warnings", MakeArray(stopped.warnings)}});
}

std::string Text(const ReleaseAgentOutcome& agent) {
  const Identity& released = agent.identity;
  const bool continues = !released.restart.reason.empty();
  return fmt::format("{} is {}; {} starts its successor, which {}\n", released.id.text(),
                     continues ? "continued" : "released",
                     agent.guarded ? "the guardian" : "no guardian is running; belay guard",
                     agent.same_conversation ? "continues its conversation"
                                             : "runs its command again with the resume text");
}

}  // namespace

Result<int> RunStop(const Invocation& invocation, Services& services) {
  BELAY_TRY_ASSIGN(const StopAgentOutcome stopped,
                   StopAgent(services, {invocation.operands()[0], invocation.Has("--now")}));
  services.io.Show(Record(stopped), Text(stopped));
  return 0;
}

Result<int> RunRelease(const Invocation& invocation, Services& services) {
  BELAY_TRY_ASSIGN(const ReleaseAgentOutcome agent,
                   ReleaseAgent(services, {invocation.operands()[0]}));
  services.io.Show(MakeObject({{"agent_id", agent.identity.id.text()},
                               {"status", AgentStatusName(agent.identity.status)},
                               {"guarded", agent.guarded},
                               {"same_conversation", agent.same_conversation}}),
                   Text(agent));
  return 0;
}

}  // namespace belay
