// Where Claude Code keeps its conversations, and which processes are in one now.

#ifndef BELAY_ADAPTERS_CLAUDE_SESSIONS_H_
#define BELAY_ADAPTERS_CLAUDE_SESSIONS_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "os/environment.h"
#include "os/file_system.h"

namespace belay {

// $CLAUDE_CONFIG_DIR of the agent's environment, else $HOME/.claude; relative to its working
// folder. Empty when neither is set.
std::string ClaudeConfigFolder(const Environment::Variables& environment,
                               const std::string& folder);

// Whether it is a UUID as Claude Code writes them, and so safe in a path and as an argument.
bool IsClaudeSessionId(std::string_view id);

// Why this isn't the transcript of that conversation, which must be a regular file of our user,
// CONFIG/projects/FOLDER/ID.jsonl, without a link in the last two components. Empty when it is.
std::string WhyNotTranscriptOf(const FileSystem& files, const std::string& config,
                               const std::string& id, const std::string& path);

// The conversation of a process, from CONFIG/sessions/PID.json, which Claude Code writes and kill
// -9 leaves behind. Empty when there is no file, or it is of another process or machine.
std::string ClaudeSessionOf(const FileSystem& files, const std::string& config, std::int64_t pid,
                            std::uint64_t start);

// The only transcript named after that conversation; empty when there is none, or several.
std::string FindClaudeTranscript(const FileSystem& files, const std::string& config,
                                 const std::string& id);

// Describes another process that is in the conversation; empty when there is none. Claude Code
// records each process in CONFIG/sessions/PID.json, with its start time from /proc/PID/stat; kill
// -9 leaves the file behind, so a file doesn't count if its process is gone or the pid was reused.
// A process of another machine or pid namespace can't be checked, and counts. 2.0.77 writes
// nothing.
std::string WhoIsInClaudeSession(const FileSystem& files, const std::string& config,
                                 const std::string& id);

}  // namespace belay

#endif  // BELAY_ADAPTERS_CLAUDE_SESSIONS_H_
