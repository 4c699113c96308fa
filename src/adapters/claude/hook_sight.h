// Which of the settings that a Claude Code reads hold belay's hooks.
//
// Claude Code reads the settings of the folder that it works in, and those of the main worktree,
// where `belay init --agent claude` put the hooks, aren't there unless they are committed. So one
// in a linked worktree is given a file of its own with just these hooks (`--settings`), and no
// worktree is touched.

#ifndef BELAY_ADAPTERS_CLAUDE_HOOK_SIGHT_H_
#define BELAY_ADAPTERS_CLAUDE_HOOK_SIGHT_H_

#include <string>

#include "adapters/agent/agent_hooks.h"

namespace belay {

// As AgentHooks has them.
HookSight FindClaudeSight(const FileSystem& files, const Layout& project, const Identity& identity,
                          const Environment::Variables& environment);
std::string ClaudeHooksForWorktree(const FileSystem& files, const Layout& project,
                                   const std::string& folder);

}  // namespace belay

#endif  // BELAY_ADAPTERS_CLAUDE_HOOK_SIGHT_H_
