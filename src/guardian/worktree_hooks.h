// belay's hooks for an agent that works in a linked worktree, or in a folder below one. Claude Code
// reads the settings of the folder that it works in, and those of the main worktree, where `belay
// init --agent claude` put the hooks, aren't there unless they are committed. So it is given a file
// of its own with just these hooks (`--settings`), and no worktree is touched.

#ifndef BELAY_GUARDIAN_WORKTREE_HOOKS_H_
#define BELAY_GUARDIAN_WORKTREE_HOOKS_H_

#include <string>

#include "model/identity.h"
#include "os/file_system.h"
#include "store/layout.h"

namespace belay {

// The content of that file; empty when it needs none: it works in the main worktree, its own
// settings have belay's hooks, or nobody installed any.
std::string HooksForWorktree(const FileSystem& files, const Layout& project, AgentKind kind,
                             const std::string& folder);

}  // namespace belay

#endif  // BELAY_GUARDIAN_WORKTREE_HOOKS_H_
