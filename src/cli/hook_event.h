// Writing down what a hook, or a status line, was given: no lock, no sync, no configuration.

#ifndef BELAY_CLI_HOOK_EVENT_H_
#define BELAY_CLI_HOOK_EVENT_H_

#include <optional>
#include <string>
#include <string_view>

#include "base/ids.h"
#include "base/result.h"
#include "cli/invocation.h"
#include "cli/services.h"
#include "model/agent_event.h"
#include "store/layout.h"

namespace belay {

// As much as anybody reads; the rest is dropped.
constexpr std::size_t kMostHookInput = std::size_t{64} << 20U;

struct RecordedEvent {
  Layout project;
  IdentityName agent;
  AgentEvent event;
};

// Nothing when there is no project that belay is set up in, or nobody whom it could be about.
Result<std::optional<RecordedEvent>> RecordHookEvent(const Invocation& invocation,
                                                     Services& services, std::string_view name,
                                                     const std::string& input);

}  // namespace belay

#endif  // BELAY_CLI_HOOK_EVENT_H_
