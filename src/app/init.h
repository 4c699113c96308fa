// Sets belay up in a project or removes it, with the hooks of an agent kind and the protection of
// merge targets (project_setup.h handles belay's own files).

#ifndef BELAY_APP_INIT_H_
#define BELAY_APP_INIT_H_

#include <optional>
#include <string>
#include <vector>

#include "app/env.h"
#include "app/project_setup.h"
#include "base/result.h"
#include "store/layout.h"

namespace belay {

struct InitRequest {
  std::optional<AgentKind> agent = {};  // its hooks; with `remove` only these
  bool remove = false;
  bool dry_run = false;
  bool yes = false;    // also add the marker line that is only offered otherwise
  bool force = false;  // remove although agents run
};
struct InitOutcome {
  Layout project;
  std::vector<InitChange> changes = {};
  std::vector<std::string> remarks = {};  // more notes for the user
};
// Removal while agents run, or wait to be restarted: kRefused, naming them. They need the hooks and
// the settings that would go.
Result<InitOutcome> InitProject(Env& env, const InitRequest& request);

}  // namespace belay

#endif  // BELAY_APP_INIT_H_
