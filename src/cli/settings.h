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

// --root, or the state root that $BELAY_STATE names, or the repository around the current folder;
// --root and $BELAY_STATE must mean the same. An empty $BELAY_STATE is none.
Result<Layout> LocateProject(const Invocation& invocation, const Services& services);

// The files that count: the project's talisman.yml, then --config, $BELAY_CONFIG or the project's
// belay.yml, whichever is named first. A named file must be there; the others may be missing.
// Without a project only a named file counts.
Result<std::vector<ConfigSource>> ConfigSources(const Invocation& invocation,
                                                const Services& services,
                                                const std::optional<Layout>& project);

// The project if there is one. Only that nothing was named and no repository is here gives none;
// everything else that is wrong is an error.
Result<std::optional<Layout>> ProjectIfAny(const Invocation& invocation, const Services& services);

// Whether --root or $BELAY_STATE says which project is meant.
bool NamesProject(const Invocation& invocation, const Services& services);

}  // namespace belay

#endif  // BELAY_CLI_SETTINGS_H_
