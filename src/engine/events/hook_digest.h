// From what an agent hands its hook to what belay keeps of it. Pure, and never fails: what can't be
// understood is an event all the same, since it proves that the agent lives.
//
// A lone surrogate in it counts as U+FFFD, and of a key that stands there twice the last counts, as
// for the program that wrote it; that is so up to 64 KiB, and beyond that if it is written without
// spaces, as agents do.
//
// Large inputs (a whole file that is written) are skimmed, not parsed; of what people wrote to the
// agent and of what its tools gave back nothing is kept. From what is kept secrets are taken out as
// far as mask_secrets.h knows them, before it is cut.

#ifndef BELAY_ENGINE_EVENTS_HOOK_DIGEST_H_
#define BELAY_ENGINE_EVENTS_HOOK_DIGEST_H_

#include <string>
#include <string_view>

#include "model/agent_event.h"

namespace belay {

struct HookDigest {
  AgentEvent event;     // with nothing but its name when the input is no object
  std::string problem;  // what is wrong with the input; empty when nothing is
};

// `name` is what the hook was called with, which counts.
HookDigest DigestHook(std::string_view name, std::string_view input);

}  // namespace belay

#endif  // BELAY_ENGINE_EVENTS_HOOK_DIGEST_H_
