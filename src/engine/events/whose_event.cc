#include "engine/events/whose_event.h"

#include <algorithm>

namespace belay {
namespace {

bool IsBelow(const AgentEvent& event, const std::optional<ProcessMark>& process) {
  return process && std::ranges::find(event.above, *process) != event.above.end();
}

// It has no name of belay's: what it is known by is its process.
EventOwner WhoseWithoutName(const AgentEvent& event, const Identity& identity) {
  const bool its =
      event.agent.empty() && identity.process == ProcessMark{event.pid, event.pid_start};
  return its ? EventOwner::kItself : EventOwner::kOther;
}

}  // namespace

EventOwner WhoseEvent(const AgentEvent& event, const Identity& identity) {
  if (identity.host == AgentHost::kExternal) return WhoseWithoutName(event, identity);
  const Result<AgentId> named = AgentId::Parse(event.agent);
  if (!named || named->identity() != identity.id.identity()) return EventOwner::kOther;
  if (named->incarnation() < identity.id.incarnation()) return EventOwner::kFormer;
  if (*named != identity.id) return EventOwner::kOther;
  const bool known = identity.process || identity.parent;
  const bool its = !known || IsBelow(event, identity.process) || IsBelow(event, identity.parent);
  return its ? EventOwner::kItself : EventOwner::kStranger;
}

}  // namespace belay
