// Agents don't write the settings by which their own work is judged: the gates of the merge queue
// are commands in .claude/belay.yml. A hook of belay's says no before such an edit. A guard rail:
// whoever has a shell has other ways.

#ifndef BELAY_CLI_SETTINGS_GUARD_H_
#define BELAY_CLI_SETTINGS_GUARD_H_

#include <string>

#include "model/agent_event.h"
#include "os/file_system.h"
#include "store/layout.h"

namespace belay {

// Whether an agent of belay's is about to edit the project's settings.
bool IsEditOfSettings(const FileSystem& files, const Layout& project, const AgentEvent& event);

// What Claude Code takes as a no, with the reason for the model.
std::string RefusalOfEdit();

}  // namespace belay

#endif  // BELAY_CLI_SETTINGS_GUARD_H_
