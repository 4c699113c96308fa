// For tests: an agent to judge.

#ifndef BELAY_ENGINE_SUPERVISE_TEST_IDENTITY_H_
#define BELAY_ENGINE_SUPERVISE_TEST_IDENTITY_H_

#include "model/identity.h"

namespace belay {

inline WallTime NoonPlus(Duration later) { return *ParseUtc("2026-11-15T12:00:00Z") + later; }

inline Identity AgentNamed(std::string_view id, WallTime started) {
  Identity identity{.id = *AgentId::Parse(id)};
  identity.status = AgentStatus::kAlive;
  identity.created_at = started;
  identity.started_at = started;
  identity.last_seen = started;
  return identity;
}

}  // namespace belay

#endif  // BELAY_ENGINE_SUPERVISE_TEST_IDENTITY_H_
