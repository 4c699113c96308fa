// Whether a Claude Code agent will run belay's hooks, by the settings that it will read. Asked at
// spawn, so that a person learns at once what belay won't see.

#ifndef BELAY_GUARDIAN_HOOK_SIGHT_H_
#define BELAY_GUARDIAN_HOOK_SIGHT_H_

#include "model/identity.h"
#include "os/environment.h"
#include "os/file_system.h"
#include "store/layout.h"

namespace belay {

enum class HookSight {
  kNotAsked,   // it isn't a Claude Code
  kInstalled,  // in the settings of its worktree, its user or the machine, or given by --settings
  kUnknown,    // its command brings settings or plugins of its own
  kNotGiven,   // only the main worktree has them, and its command takes no --settings of belay's
  kNone,       // nowhere, or they are switched off
};

// `environment`: that the agent has.
HookSight FindHookSight(const FileSystem& files, const Layout& project, const Identity& identity,
                        const Environment::Variables& environment);

}  // namespace belay

#endif  // BELAY_GUARDIAN_HOOK_SIGHT_H_
