#include "guardian/early_look.h"

#include "adapters/agent/agent_program.h"
#include "adapters/agent/claude_sessions.h"
#include "host/launch.h"

namespace belay {
namespace {

// Empty when it isn't known.
std::string ConfigFolderOf(const SessionDoors& doors, const Identity& identity) {
  const Result<LaunchSpec> spec =
      ReadLaunchSpec(doors.files, doors.project, identity.id.identity());
  if (!spec || spec->agent != identity.id) return {};
  return ClaudeConfigFolder(spec->environment, spec->folder);
}

}  // namespace

EarlyLook LookForClaude(const SessionDoors& doors, const Identity& identity,
                        const TreeActivity& tree) {
  EarlyLook look;
  const std::string config = ConfigFolderOf(doors, identity);
  for (std::size_t i = 0; i < tree.processes.size() && look.session.empty(); ++i) {
    if (AgentProgramOf(tree.commands[i]) != AgentProgram::kClaude) continue;
    look.claude = true;
    if (config.empty()) continue;
    const TreeProcess& process = tree.processes[i];
    look.session = ClaudeSessionOf(doors.files, config, process.pid, process.start_time);
  }
  return look;
}

Conversation KnownConversation(const SessionDoors& doors, const Identity& identity) {
  const std::string config = ConfigFolderOf(doors, identity);
  if (config.empty() || !IsClaudeSessionId(identity.session_id)) return {};
  return {identity.session_id, FindClaudeTranscript(doors.files, config, identity.session_id)};
}

}  // namespace belay
