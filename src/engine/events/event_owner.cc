#include "engine/events/event_owner.h"

#include <algorithm>
#include <string>

namespace belay {
namespace {

bool IsBelow(const AgentEvent& event, const std::optional<ProcessMark>& process) {
  return process && std::ranges::find(event.above, *process) != event.above.end();
}

// It has no belay name: it is identified by its process.
EventOwner OwnerWithoutName(const AgentEvent& event, const Identity& identity) {
  const bool its =
      event.agent.empty() && identity.process == ProcessMark{event.pid, event.pid_start};
  return its ? EventOwner::kItself : EventOwner::kOther;
}

}  // namespace

EventOwner EventOwnerOf(const AgentEvent& event, const Identity& identity) {
  if (!FactsOf(identity.host).named) return OwnerWithoutName(event, identity);
  const Result<AgentId> named = AgentId::Parse(event.agent);
  if (!named || named->identity() != identity.id.identity()) return EventOwner::kOther;
  if (named->incarnation() < identity.id.incarnation()) return EventOwner::kFormer;
  if (*named != identity.id) return EventOwner::kOther;
  const bool known = identity.process || identity.parent;
  const bool its = !known || IsBelow(event, identity.process) || IsBelow(event, identity.parent);
  return its ? EventOwner::kItself : EventOwner::kStranger;
}

namespace {

constexpr std::size_t kLength = 12;

}  // namespace

std::optional<IdentityName> NameOfSession(std::string_view session) {
  std::string name;
  for (const char c : session) {
    const bool upper = c >= 'A' && c <= 'Z';
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (plain || upper) name += upper ? static_cast<char>(c - 'A' + 'a') : c;
    if (name.size() == kLength) break;
  }
  const Result<IdentityName> made = IdentityName::Make(std::string(kExternalRole), name);
  return made ? std::optional(*made) : std::nullopt;
}

}  // namespace belay
