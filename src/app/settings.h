// The project and the configuration that a command line selects.

#ifndef BELAY_APP_SETTINGS_H_
#define BELAY_APP_SETTINGS_H_

#include <optional>

#include "app/env.h"
#include "base/result.h"
#include "config/config.h"
#include "store/repository.h"
#include "store/vault.h"

namespace belay {

// --root, or the state root that $BELAY_STATE names, or the repository around the current folder;
// --root and $BELAY_STATE must agree. An empty $BELAY_STATE counts as unset.
Result<Layout> LocateProject(const Env& env);

// The same, with a usable vault; without one: kNotFound.
Result<Layout> OpenProject(const Env& env, VaultUse use);

// The files that count: the project's talisman.yml, then the first of --config, $BELAY_CONFIG and
// the project's belay.yml. A named file must exist; the others may be missing. Without a project
// only a named file counts.
Result<std::vector<ConfigSource>> ConfigSources(const Env& env,
                                                const std::optional<Layout>& project);

// The project if there is one. None only when no project was named and there is no repository here;
// anything else that is wrong is an error.
Result<std::optional<Layout>> ProjectIfAny(const Env& env);

// Whether --config or $BELAY_CONFIG names a file.
bool NamesSettings(const Env& env);
struct ConfigRead {
  std::vector<ConfigSource> sources;
  ConfigOutcome outcome;
};
// What the files say here, including mistakes.
Result<ConfigRead> ReadConfigHere(const Env& env);

// Whether --root or $BELAY_STATE names the project.
bool NamesProject(const Env& env);

}  // namespace belay

#endif  // BELAY_APP_SETTINGS_H_
