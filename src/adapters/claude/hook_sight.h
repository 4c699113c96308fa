// Finds belay's hooks in the settings that a Claude Code reads.
//
// Claude Code reads the settings of its working folder. `belay init --agent claude` puts the hooks
// into the main worktree's settings, which a linked worktree doesn't have unless they are
// committed. So an agent in a linked worktree gets a settings file of its own with just these hooks
// (`--settings`), and no worktree is touched.

#ifndef BELAY_ADAPTERS_CLAUDE_HOOK_SIGHT_H_
#define BELAY_ADAPTERS_CLAUDE_HOOK_SIGHT_H_

#include <string>

#include "adapters/agent/agent_hooks.h"

namespace belay {

// As in AgentHooks.
HookSight FindClaudeSight(const FileSystem& files, const Layout& project, const Identity& identity,
                          const Environment::Variables& environment);
std::string ClaudeHooksForWorktree(const FileSystem& files, const Layout& project,
                                   const std::string& folder);

}  // namespace belay

#endif  // BELAY_ADAPTERS_CLAUDE_HOOK_SIGHT_H_
