// Codex is driven as a generic agent so far: only its command is recognised. With --agent codex the
// user vouches that the command takes a text as its last argument.

#ifndef BELAY_ADAPTERS_CODEX_ADAPTER_H_
#define BELAY_ADAPTERS_CODEX_ADAPTER_H_

#include "adapters/agent/agent_adapter.h"

namespace belay {

const AgentAdapter& CodexAdapter();

}  // namespace belay

#endif  // BELAY_ADAPTERS_CODEX_ADAPTER_H_
