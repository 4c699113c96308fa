// The line that reminds agents of the resumption section (ReinjectMarker), in a file with rules for
// agents: `belay init --yes` adds it, `belay init --remove` removes it. The file belongs to the
// user: every other byte stays as it is, and adding and removing leaves the file as it was. A line
// that was edited since is the user's, and stays.

#ifndef BELAY_APP_RULES_MARKER_H_
#define BELAY_APP_RULES_MARKER_H_

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ledger/project_ledger.h"
#include "os/file_system.h"
#include "store/layout.h"

namespace belay {

// The files with rules for agents that belay knows, as they are here. No links.
std::vector<std::string> RulesFiles(const FileSystem& files, const Layout& project);

std::string WithMarker(std::string_view text);
// The same text when the marker is no line of its own in it.
std::string WithoutMarker(std::string_view text);

// The rules file from which RemoveMarker would remove the line; empty: none.
std::string FindMarker(const FileSystem& files, const Layout& project);

// kBusy when the file was changed at the same time.
Result<void> AddMarker(FileSystem& files, const ProjectLock& lock, const std::string& path);
Result<void> RemoveMarker(FileSystem& files, const ProjectLock& lock, const std::string& path);

}  // namespace belay

#endif  // BELAY_APP_RULES_MARKER_H_
