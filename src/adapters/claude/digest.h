// From what Claude Code hands its hook, or its status line, to belay's words. Pure, and never
// fails: what can't be understood is an event all the same, since it proves that the agent lives.
//
// A lone surrogate in it counts as U+FFFD, and of a key that stands there twice the last counts, as
// for the program that wrote it; that is so up to 64 KiB, and beyond that if it is written without
// spaces, as agents do.
//
// Large inputs (a whole file that is written) are skimmed, not parsed; of what people wrote to the
// agent and of what its tools gave back nothing is kept.

#ifndef BELAY_ADAPTERS_CLAUDE_DIGEST_H_
#define BELAY_ADAPTERS_CLAUDE_DIGEST_H_

#include <string_view>

#include "model/agent_event.h"

namespace belay {

// `kind` is what the hook was called for, which counts.
EventReport DigestClaudeHook(EventKind kind, std::string_view input);

}  // namespace belay

#endif  // BELAY_ADAPTERS_CLAUDE_DIGEST_H_
