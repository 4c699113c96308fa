// Finds the agent program that a command line starts. The command line is an argument vector, as
// given to `belay spawn` or as seen in /proc/PID/cmdline.
//
// Programs that only start another one are skipped, as far as their options are known:
//
//   env, nice, nohup, timeout, stdbuf, setsid, time, ionice, chrt, taskset, exec, command
//   npx, bunx                a package or a command
//   node, bun                a script
//
// Anything uncertain (an option that isn't in the table, env -S, npx -c) gives no result. Only a
// whole name matches: "claude-lint" and "./notclaude" are other programs, and so is "echo" with the
// argument "claude".

#ifndef BELAY_ADAPTERS_AGENT_AGENT_PROGRAM_H_
#define BELAY_ADAPTERS_AGENT_AGENT_PROGRAM_H_

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "os/process_tree.h"

namespace belay {

// The word that names the program; the program's own arguments follow it.
std::optional<std::size_t> FindProgramWord(std::span<const std::string> words,
                                           const std::function<bool(std::string_view)>& is_program);

// "@openai/codex" and "@openai/codex@1.2" are the package "@openai/codex".
bool IsPackage(std::string_view word, std::string_view package);

// `sh -c LINE`, where LINE is one plain command: words and quotes, nothing that a shell would
// expand or act on. Then adding arguments to the line is as safe as adding them to the command. `cd
// FOLDER &&` may precede it.
struct ShellInvocation {
  std::vector<std::string> shell;  // "sh", "-c"
  std::vector<std::string> words;  // of the command
  std::string before = {};         // "cd FOLDER && ", as the line has it; or empty
  std::string folder = {};         // FOLDER; or empty
};
std::optional<ShellInvocation> ReadShellInvocation(std::span<const std::string> words);
// The words as one line that a shell splits into the same words.
std::string ShellLineOf(std::span<const std::string> words);

// The working folder of a command's program, if the command is started in `folder`.
std::string WorkFolderOf(std::span<const std::string> words, const std::string& folder);

// Whether a program was started from inside another one of its kind, by a tool or script of it.
// Processes above a belay don't count: an agent that belay started is no other agent's tool.
bool RunsInsideAnother(std::span<const AncestorId> above, const AncestorId& program);

}  // namespace belay

#endif  // BELAY_ADAPTERS_AGENT_AGENT_PROGRAM_H_
