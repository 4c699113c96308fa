// What the end of a Claude Code transcript says: how full its context is, whether its last turn has
// ended, and whether it ended with a failure of the API. Stateless: the file is read from its end
// backwards (lines_backwards.h), so a long one costs no more than a short one.
//
// A transcript is one JSON object a line, written compactly. Seen from the end:
//
//   line                                              means
//   -----------------------------------------------   -----------------------------------------
//   invalid JSON, torn, another type, isSidechain     nothing; sub-agents have contexts of their
//                                                       own
//   user                                              it is no failure that the conversation
//                                                       ended with
//   assistant with isApiErrorMessage                  the failure, if it is the last message
//   assistant of a model named <...>                  Claude Code's own words: no use
//   assistant with message.usage                      the use: input + cache_creation +
//                                                       cache_read tokens. Done
//   system/compact_boundary                           the context starts anew: no use. Done
//   system/local_command, user with the output of     a command that needs no model: the turn, if
//     such a command                                    there was one, has ended before
//
// The last of these lines says whether the conversation stands within a turn: a prompt, a tool's
// result, or an answer that ends with tool_use (or has no reason yet) does; an answer that ends
// otherwise, or with a failure of the API, doesn't. A user's line with isMeta and Claude Code's own
// words say nothing about it; "[Request interrupted by user" is the person's interruption.
//
// Every message carries the id of its session, and that of the last one counts: in a conversation
// that was forked from another, 2.0.77 leaves the older id in some of the messages before.
//
// One answer of the model spans several lines with the same message.id; they carry the same use,
// and the last one counts. Of the window the transcript says nothing.
//
// The agent can write to this file: what it says is evidence, and never a path or a command.

#ifndef BELAY_ADAPTERS_CLAUDE_TRANSCRIPT_H_
#define BELAY_ADAPTERS_CLAUDE_TRANSCRIPT_H_

#include <string>
#include <string_view>

#include "adapters/agent/agent_adapter.h"
#include "adapters/agent/lines_backwards.h"
#include "base/result.h"
#include "codec/json.h"
#include "os/file_system.h"

namespace belay {

// An error only when the file can't be opened: kNotFound, or kRefused for what isn't a regular file
// (a link is never followed).
Result<ConversationEnd> ReadClaudeTranscript(const FileSystem& files, const std::string& path,
                                             const BackwardLimits& limits = {});

// The failure of an API error line, from what its members say; the text is used only where they say
// nothing (2.0.77 has no status, and "unknown" for most errors).
ApiFailure JudgeApiError(const Json& line);

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
//
// 2.0 writes no context of hooks to its transcript: there a text that isn't found says nothing.

// Reads backwards from the end. A word that doesn't stand in the last `most_bytes` of a longer
// transcript counts as answered if the model has answered since.
TextTrace FindInClaudeTranscript(const FileSystem& files, const std::string& path,
                                 std::string_view word,
                                 std::uint64_t most_bytes = std::uint64_t{16} << 20U);

}  // namespace belay

#endif  // BELAY_ADAPTERS_CLAUDE_TRANSCRIPT_H_
