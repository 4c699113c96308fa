// Notices that a file which judges agents' work has changed: belay's settings, the settings with
// its hooks, and the git hook that guards branches.
//
// Agents' writes to these are refused by the hooks, but a script has other ways. A person may
// change them at any time, so a change is reported, once and calmly, and nothing is undone: the
// gates are those of the file as it is. What belay saw last is in the journal "project", as a
// digest. The guardian looks at its start and at every heartbeat, and so does a person's `belay
// merge-queue process`; `belay doctor` only compares.

#ifndef BELAY_APP_SETTINGS_DRIFT_H_
#define BELAY_APP_SETTINGS_DRIFT_H_

#include <optional>
#include <string>
#include <vector>

#include "base/health_check.h"
#include "base/result.h"
#include "base/time.h"
#include "model/project.h"
#include "os/clock.h"
#include "os/file_system.h"
#include "store/layout.h"

namespace belay {

// A guarded file that isn't as it was seen last.
struct SettingsChange {
  std::string file;    // below the root
  std::string sha256;  // empty: it is gone
  std::string since;   // when it was seen last; empty: never

  // ".claude/belay.yml has changed since 2026-11-15T06:36:00Z"
  std::string Text() const;
};

// Nothing is recorded. A file that can't be read is left out: other checks report it.
std::vector<SettingsChange> FindSettingsChanges(const FileSystem& files, const Layout& project,
                                                const ProjectState& state);

// Records them; returns those that were seen before. Waits for the journal's lock for `limit`, and
// takes it only if there is a change.
Result<std::vector<SettingsChange>> RecordSettingsChanges(FileSystem& files, const Clock& clock,
                                                          const Layout& project, Duration limit);

// Nothing when no guardian or merge queue has looked yet, or the journal can't be read.
std::optional<Check> CheckSettingsDrift(FileSystem& files, const Clock& clock,
                                        const Layout& project);

}  // namespace belay

#endif  // BELAY_APP_SETTINGS_DRIFT_H_
