// Turns the input of a Claude Code hook, or of its status line, into belay's terms. Pure, and never
// fails: input that can't be parsed is still an event, since it proves that the agent lives.
//
// A lone surrogate counts as U+FFFD, and the last of duplicate keys counts, as for Claude Code
// itself; this holds up to 64 KiB, and beyond that if the JSON is written without spaces, as agents
// do.
//
// Large inputs (a whole file that is written) are skimmed, not parsed; nothing is kept of what
// people wrote to the agent or of what its tools returned.

#ifndef BELAY_ADAPTERS_CLAUDE_DIGEST_H_
#define BELAY_ADAPTERS_CLAUDE_DIGEST_H_

#include <string_view>

#include "model/agent_event.h"

namespace belay {

// `kind` is the event that the hook was called for; it wins over the input.
EventReport DigestClaudeHook(EventKind kind, std::string_view input);

}  // namespace belay

#endif  // BELAY_ADAPTERS_CLAUDE_DIGEST_H_
