// Which agent program a command line starts, and where in the line it stands. The command line is
// an argument vector, as given to `belay spawn` or as seen in /proc/PID/cmdline.
//
// Programs that only start another one are looked through, as far as their own options are known:
//
//   env, nice, nohup, timeout, stdbuf, setsid, time, ionice, chrt, taskset, exec, command
//   npx, bunx                a package or a command
//   node, bun                a script
//
// Anything that isn't certain (an option that isn't in the table, env -S, npx -c) gives no answer.
// A name counts only as a whole: "claude-lint" and "./notclaude" are other programs, and so is
// "echo" with the argument "claude".

#ifndef BELAY_ADAPTERS_AGENT_AGENT_PROGRAM_H_
#define BELAY_ADAPTERS_AGENT_AGENT_PROGRAM_H_

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace belay {

enum class AgentProgram { kClaude, kCodex };

struct FoundProgram {
  AgentProgram program;
  std::size_t at;  // the word; the program's own arguments follow it
};
std::optional<FoundProgram> FindAgentProgram(std::span<const std::string> words);

// `sh -c LINE`, where LINE is one plain command: words and quotes, nothing that a shell would
// expand or act on. Then adding arguments to the line is as safe as adding them to the command.
// `cd FOLDER &&` may stand before it.
struct ShellInvocation {
  std::vector<std::string> shell;  // "sh", "-c"
  std::vector<std::string> words;  // of the command
  std::string before = {};         // "cd FOLDER && ", as it stands in LINE; or empty
  std::string folder = {};         // FOLDER; or empty
};
std::optional<ShellInvocation> ReadShellInvocation(std::span<const std::string> words);
// The words as one line that a shell reads back as these words.
std::string ShellLineOf(std::span<const std::string> words);

// Where the program of a command works, if the command is started in `folder`.
std::string WorkFolderOf(std::span<const std::string> words, const std::string& folder);

// Also behind `sh -c`; nothing for a program that isn't known, and for a script around one.
std::optional<AgentProgram> AgentProgramOf(std::span<const std::string> words);

}  // namespace belay

#endif  // BELAY_ADAPTERS_AGENT_AGENT_PROGRAM_H_
