// Which phase an agent is in by what it does, call by call, with a memory against flapping.
//
// clang-format off
//   a call that is   means            moves on   moves back after
//   --------------   --------------   --------   ----------------
//   read             investigation    -          8 of them
//   plan             planning         at once    3
//   edit             implementation   at once    3
//   test             testing          at once    3
//   commit           completion       at once    -
//   other            no opinion
// clang-format on
//
// They are counted since the last call that fits the present phase: an agent that edits also reads,
// and one that reads for a while and edits nothing has gone back. What the agent or a person said
// (`belay hook phase`) takes 8 calls of another kind to be overruled, in either direction.

#ifndef BELAY_ENGINE_EVENTS_ACTION_PHASE_H_
#define BELAY_ENGINE_EVENTS_ACTION_PHASE_H_

#include <array>
#include <optional>

#include "model/agent_event.h"
#include "model/hook.h"

namespace belay {

std::optional<WorkPhase> PhaseOf(ActionKind kind);  // nothing: no opinion

struct ActionMemory {
  std::array<int, 5> calls = {};  // by phase, since the last that fits the present one
  bool told = false;              // the present phase was said
};

// The phase to move to, if any.
std::optional<WorkPhase> ConsiderAction(ActionMemory& memory, WorkPhase present, ActionKind kind);

}  // namespace belay

#endif  // BELAY_ENGINE_EVENTS_ACTION_PHASE_H_
