// Any command, with the defaults of agent_adapter.h.

#ifndef BELAY_ADAPTERS_GENERIC_ADAPTER_H_
#define BELAY_ADAPTERS_GENERIC_ADAPTER_H_

#include "adapters/agent/agent_adapter.h"

namespace belay {

const AgentAdapter& GenericAdapter();

}  // namespace belay

#endif  // BELAY_ADAPTERS_GENERIC_ADAPTER_H_
