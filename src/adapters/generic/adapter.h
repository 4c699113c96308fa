// Any command: all of it is as agent_adapter.h says.

#ifndef BELAY_ADAPTERS_GENERIC_ADAPTER_H_
#define BELAY_ADAPTERS_GENERIC_ADAPTER_H_

#include "adapters/agent/agent_adapter.h"

namespace belay {

const AgentAdapter& GenericAdapter();

}  // namespace belay

#endif  // BELAY_ADAPTERS_GENERIC_ADAPTER_H_
