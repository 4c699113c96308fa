// Claude Code's hooks (adapters/agent/agent_hooks.h).

#ifndef BELAY_ADAPTERS_CLAUDE_HOOKS_H_
#define BELAY_ADAPTERS_CLAUDE_HOOKS_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/agent/agent_hooks.h"
#include "model/agent_event.h"
#include "os/file_system.h"
#include "os/process_tree.h"
#include "store/layout.h"

namespace belay {

const AgentHooks& ClaudeHooks();

// Finds the Claude Code among the processes above its hook.

// The program reports its pid ($CLAUDE_PID), which is trusted if it is one of them. Older versions
// don't: then it is the process that runs the hook's shell, if it looks like Claude Code.
std::optional<AncestorId> ClaudeAbove(std::span<const AncestorId> above,
                                      const std::optional<std::string>& claim);

// Checks that belay's hooks in Claude Code's settings are installed, are read, and work.

// As AgentHooks::CheckInstalled.
std::vector<Check> CheckClaude(const HookEnv& env);

// Calls a hook the way Claude Code does, to verify that belay answers.

// `program` as it is spelled in a hook's command. It is called for PreToolUse, by a shell, in the
// project's folder, with an event on standard input and a limit of five seconds.
Check ProbeHook(const std::string& program, const HookEnv& env);

// Turns the input of a Claude Code hook, or of its status line, into belay's terms. Pure, and never
// fails: input that can't be parsed is still an event, since it proves that the agent lives.
//
// A lone surrogate counts as U+FFFD, and the last of duplicate keys counts, as for Claude Code
// itself; this holds up to 64 KiB, and beyond that if the JSON is written without spaces, as agents
// do.
//
// Large inputs (a whole file that is written) are skimmed, not parsed; nothing is kept of what
// people wrote to the agent or of what its tools returned.

// `kind` is the event that the hook was called for; it wins over the input.
EventReport DigestClaudeHook(EventKind kind, std::string_view input);
// The edit in the input of PreToolUse or PostToolUse.
std::optional<FileEdit> ReadClaudeEdit(std::string_view input);

// Finds belay's hooks in the settings that a Claude Code reads.
//
// Claude Code reads the settings of its working folder. `belay init --agent claude` puts the hooks
// into the main worktree's settings, which a linked worktree doesn't have unless they are
// committed. So an agent in a linked worktree gets a settings file of its own with just these hooks
// (`--settings`), and no worktree is touched.

// As in AgentHooks.
HookVisibility FindClaudeHookVisibility(const FileSystem& files, const Layout& project,
                                        const Identity& identity,
                                        const Environment::Variables& environment);
std::string ClaudeHooksForWorktree(const FileSystem& files, const Layout& project,
                                   const std::string& folder);

// belay's hooks in ROOT/.claude/settings.json (adapters/agent/agent_hooks.h).

std::string ClaudeSettingsPath(const Layout& project);

class ClaudeHooksFile final : public HooksFile {
 public:
  ClaudeHooksFile(FileSystem& files, const Layout& project) : files_(files), project_(project) {}

  std::string path() const override { return ClaudeSettingsPath(project_); }
  // The text form of FoundBefore (settings.h).
  std::string note_path() const override { return project_.SettingsNote("claude"); }
  Result<HooksPlan> PlanInstall(const HooksWish& wish) const override;
  Result<HooksPlan> PlanRemoval() const override;
  bool MayHoldOurs() const override;
  Result<std::optional<std::string>> CarryOut(const StateLock& project_lock,
                                              const HooksPlan& plan) override;

 private:
  Result<std::optional<std::string>> ReadFile() const;
  Result<std::optional<std::string>> ReadNote() const;
  Result<void> CheckWritable(const HooksPlan& plan) const;
  Result<void> WriteNote(const HooksPlan& plan);
  Result<void> Remove(const std::string& path);

  FileSystem& files_;
  const Layout& project_;
};

}  // namespace belay

#endif  // BELAY_ADAPTERS_CLAUDE_HOOKS_H_
