// Any command: it finds its text in the file that $BELAY_RESUME_FILE names, and as its last
// argument if the settings want that; its successor is the same command again, and only its screen
// and its exit status say how it is.

#ifndef BELAY_ADAPTERS_AGENT_GENERIC_ADAPTER_H_
#define BELAY_ADAPTERS_AGENT_GENERIC_ADAPTER_H_

#include "adapters/agent/agent_adapter.h"

namespace belay {

const AgentAdapter& GenericAdapter();

}  // namespace belay

#endif  // BELAY_ADAPTERS_AGENT_GENERIC_ADAPTER_H_
