#include "app/early_look.h"

#include "adapters/agents.h"
#include "host/launch.h"

namespace belay {
namespace {

std::optional<AgentPlace> PlaceOf(const SessionDoors& doors, const Identity& identity) {
  Result<LaunchSpec> spec = ReadLaunchSpec(doors.files, doors.project, identity.id.identity());
  if (!spec || spec->agent != identity.id) return std::nullopt;
  return AgentPlace{std::move(spec->environment), std::move(spec->folder)};
}

}  // namespace

EarlyLook LookForAgent(const SessionDoors& doors, const Identity& identity,
                       const TreeActivity& tree) {
  EarlyLook look;
  const std::optional<AgentPlace> place = PlaceOf(doors, identity);
  for (std::size_t i = 0; i < tree.processes.size() && look.session.empty(); ++i) {
    const AgentKind kind = KindOfCommand(tree.commands[i]);
    if (HooksFor(kind) == nullptr) continue;
    look.kind = kind;
    if (!place) continue;
    const TreeProcess& process = tree.processes[i];
    look.session =
        AdapterFor(kind).SessionOf(doors.files, *place, {process.pid, process.start_time});
  }
  return look;
}

Conversation KnownConversation(const SessionDoors& doors, const Identity& identity) {
  const std::optional<AgentPlace> place = PlaceOf(doors, identity);
  if (!place) return {};
  return {identity.session_id,
          AdapterFor(identity.agent_kind).TranscriptOf(doors.files, *place, identity.session_id)};
}

}  // namespace belay
