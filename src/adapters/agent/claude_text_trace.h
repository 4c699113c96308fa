// Whether a text that Claude Code was given has reached its model, by the transcript.
//
// clang-format off
//   line that holds the word                              means
//   ---------------------------------------------------   -------------------------------------------
//   user                                                  the text is in the conversation
//   attachment, but hook_success                          the same: the context that a hook added
//   hook_success, system, another type, isSidechain       nothing: what a hook printed, a summary
//   assistant                                             nothing: the model quotes it
// clang-format on
//
// An answer of the model behind that line shows that it has read the text. Without one it may never
// do so: when Stop hooks have sent the model on too often, Claude Code writes the text of the last
// one into the transcript and ends the turn all the same.

#ifndef BELAY_ADAPTERS_AGENT_CLAUDE_TEXT_TRACE_H_
#define BELAY_ADAPTERS_AGENT_CLAUDE_TEXT_TRACE_H_

#include <string>
#include <string_view>

#include "adapters/agent/agent_adapter.h"
#include "os/file_system.h"

namespace belay {

// Reads backwards from the end. A word that doesn't stand in the last `most_bytes` of a longer
// transcript counts as answered if the model has answered since.
TextTrace FindInClaudeTranscript(const FileSystem& files, const std::string& path,
                                 std::string_view word,
                                 std::uint64_t most_bytes = std::uint64_t{16} << 20U);

}  // namespace belay

#endif  // BELAY_ADAPTERS_AGENT_CLAUDE_TEXT_TRACE_H_
