// Where Claude Code keeps its conversations, and who is in one of them now.

#ifndef BELAY_ADAPTERS_CLAUDE_SESSIONS_H_
#define BELAY_ADAPTERS_CLAUDE_SESSIONS_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "os/environment.h"
#include "os/file_system.h"

namespace belay {

// $CLAUDE_CONFIG_DIR of the agent's environment, else $HOME/.claude; as seen from the folder that
// it works in. Empty when the environment says neither.
std::string ClaudeConfigFolder(const Environment::Variables& environment,
                               const std::string& folder);

// Whether it is a UUID as Claude Code writes them: then it is safe in a path and as an argument.
bool IsClaudeSessionId(std::string_view id);

// Why this isn't the transcript of that conversation: a regular file of ours,
// CONFIG/projects/FOLDER/ID.jsonl, without a link in the last two places. Empty when it is.
std::string WhyNotTranscriptOf(const FileSystem& files, const std::string& config,
                               const std::string& id, const std::string& path);

// Which conversation a process was in, by CONFIG/sessions/PID.json, which Claude Code writes and
// kill -9 leaves behind. Empty when no file is there, or it is of another process or machine.
std::string ClaudeSessionOf(const FileSystem& files, const std::string& config, std::int64_t pid,
                            std::uint64_t start);

// The only transcript with the name of that conversation; empty when there is none, or several.
std::string FindClaudeTranscript(const FileSystem& files, const std::string& config,
                                 const std::string& id);

// Who else is in the conversation, in words; empty when nobody is. Claude Code writes down each
// process in CONFIG/sessions/PID.json, with its start time as /proc/PID/stat has it; kill -9 leaves
// the file behind, so one whose process is gone, or whose pid another has by now, doesn't count.
// One of another machine or pid namespace can't be judged, and counts. 2.0.77 writes nothing.
std::string WhoIsInClaudeSession(const FileSystem& files, const std::string& config,
                                 const std::string& id);

}  // namespace belay

#endif  // BELAY_ADAPTERS_CLAUDE_SESSIONS_H_
