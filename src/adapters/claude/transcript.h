// Reads the end of a Claude Code transcript: how full its context window is, whether its last turn
// has ended, and whether it ended with an API failure. Stateless: the file is read from its end
// backwards (lines_backwards.h), so a long one costs no more than a short one.
//
// A transcript is one JSON object a line, written compactly. Seen from the end:
//
//   line                                              means
//   -----------------------------------------------   -----------------------------------------
//   invalid JSON, torn, another type, isSidechain     nothing; sub-agents have contexts of their
//                                                       own
//   user                                              the conversation did not end with a
//                                                       failure
//   assistant with isApiErrorMessage                  the failure, if it is the last message
//   assistant of a model named <...>                  Claude Code's own message: no use
//   assistant with message.usage                      the use: input + cache_creation +
//                                                       cache_read tokens. Done
//   system/compact_boundary                           a new context starts: no use. Done
//   system/local_command, user with the output of     a command that needs no model: the turn, if
//     such a command                                    there was one, has ended before
//
// The last of these lines decides whether the conversation is within a turn: it is after a prompt,
// a tool result, or an answer that ends with tool_use (or has no reason yet); it isn't after an
// answer that ends otherwise, or with an API failure. A user line with isMeta and Claude Code's own
// messages don't count; "[Request interrupted by user" means that the user interrupted.
//
// Every message carries its session id, and that of the last one counts: in a forked conversation,
// 2.0.77 leaves the older id in some of the earlier messages.
//
// One answer of the model spans several lines with the same message.id; they carry the same use,
// and the last one counts. The transcript doesn't contain the window size.
//
// The agent can write to this file: its content is evidence, never a path or a command.

#ifndef BELAY_ADAPTERS_CLAUDE_TRANSCRIPT_H_
#define BELAY_ADAPTERS_CLAUDE_TRANSCRIPT_H_

#include <string>
#include <string_view>
#include <vector>

#include "adapters/agent/agent_adapter.h"
#include "adapters/agent/lines_backwards.h"
#include "base/result.h"
#include "codec/json.h"
#include "os/file_system.h"

namespace belay {

// An error only when the file can't be opened: kNotFound, or kRefused if it isn't a regular file (a
// link is never followed).
Result<ConversationEnd> ReadClaudeTranscript(const FileSystem& files, const std::string& path,
                                             const BackwardLimits& limits = {});

// The kind of failure in an API error line, from its members; the text is used only where they are
// missing (2.0.77 has no status, and "unknown" for most errors).
ApiFailure JudgeApiError(const Json& line);

// Whether a text that was sent to Claude Code has reached its model, judged by the transcript.
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
// An answer after that line shows that the model has read the text. Without an answer it may never
// read it: when Stop hooks have continued the turn too often, Claude Code writes the text of the
// last one into the transcript and ends the turn anyway.
//
// 2.0 doesn't write the context from hooks to its transcript: there, a missing text proves nothing.

// Reads backwards from the end. A word that isn't in the last `most_bytes` of a longer transcript
// counts as answered if the model has answered since.
TextTrace FindInClaudeTranscript(const FileSystem& files, const std::string& path,
                                 std::string_view word,
                                 std::uint64_t most_bytes = std::uint64_t{16} << 20U);

// What the model said last, as AgentAdapter::LastWords. Nothing from before a compaction.
std::vector<std::string> LastWordsInClaudeTranscript(const FileSystem& files,
                                                     const std::string& path, std::size_t most);

}  // namespace belay

#endif  // BELAY_ADAPTERS_CLAUDE_TRANSCRIPT_H_
