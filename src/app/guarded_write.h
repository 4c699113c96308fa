// Refuses an agent's tool call that would write the settings by which its work is judged, or
// belay's records (engine/shell/guarded_paths.h): by a shell, an editing tool, or a tool of another
// server.
//
// Most calls are judged by their text alone. Only one that seems to write such a path, or that runs
// a script, is followed again with the disk: with the environment, what patterns match, the folders
// and scripts that are there. git is asked only if the call could change these files by git.

#ifndef BELAY_APP_GUARDED_WRITE_H_
#define BELAY_APP_GUARDED_WRITE_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/agent/agent_hooks.h"
#include "app/env.h"
#include "engine/shell/effects.h"
#include "engine/shell/guarded_paths.h"
#include "store/layout.h"

namespace belay {

// What is needed of a tool call that is about to start.
struct GuardedCall {
  std::string folder = {};
  std::string line = {};               // of a shell
  std::vector<PathWrite> writes = {};  // of other tools
};

GuardedCall CallOf(const EventReport& report);

// The path that the call would write; empty: none. `effects`: of the line.
std::string FindGuardedWrite(Env& env, const Layout& project, const AgentHooks& hooks,
                             const GuardedCall& call, std::span<const ShellEffect> effects);

// For the model.
std::string WhyNoWrite(std::string_view path);

}  // namespace belay

#endif  // BELAY_APP_GUARDED_WRITE_H_
