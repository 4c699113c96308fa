// The project and the configuration that a command line means.

#ifndef BELAY_CLI_SETTINGS_H_
#define BELAY_CLI_SETTINGS_H_

#include <optional>

#include "base/result.h"
#include "cli/invocation.h"
#include "cli/services.h"
#include "config/config.h"
#include "store/locate_project.h"

namespace belay {

// --root, or the repository around the current folder.
Result<Layout> LocateProject(const Invocation& invocation, const Services& services);

// The files that count: the project's talisman.yml, then --config, $BELAY_CONFIG or the project's
// belay.yml, whichever is named first. A named file must be there; the others may be missing.
// Without a project only a named file counts.
Result<std::vector<ConfigSource>> ConfigSources(const Invocation& invocation,
                                                const Services& services,
                                                const std::optional<Layout>& project);

// The project if there is one. A root that was named and is wrong is an error; no repository is
// not.
Result<std::optional<Layout>> ProjectIfAny(const Invocation& invocation, const Services& services);

}  // namespace belay

#endif  // BELAY_CLI_SETTINGS_H_
