// Snapshots of an agent's work: taken in the worktree that it works in, under its own name.

#ifndef BELAY_CLI_AGENT_SNAPSHOT_H_
#define BELAY_CLI_AGENT_SNAPSHOT_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/invocation.h"
#include "cli/services.h"
#include "cli/snapshot_place.h"
#include "model/identity.h"
#include "snapshot/take.h"

namespace belay {

// The agent that is called so; nothing when none is, or when belay isn't set up.
Result<std::optional<Identity>> FindAgentNamed(const Layout& project, std::string_view text,
                                               Services& services);

// Its worktree. One that is gone, or belongs to another repository: kNotFound.
Result<SnapshotPlace> PlaceOfAgent(const Layout& project, const Identity& agent,
                                   Services& services);

struct TakenNow {
  Taken taken;
  std::vector<std::string> warnings = {};
};
// With the settings in force, and recorded where belay is set up. `agent_id` may be empty.
Result<TakenNow> TakeNow(const Invocation& invocation, Services& services,
                         const SnapshotPlace& place, const std::string& agent_id,
                         const std::optional<std::string>& message);

// Of an agent, where it works.
Result<TakenNow> TakeWorkOf(const Invocation& invocation, Services& services, const Layout& project,
                            const Identity& agent, const std::string& message);

// The paths of a snapshot, as records have them: quoted as git does.
Result<std::vector<std::string>> ChangedPaths(const Git& git, const SavedSnapshot& snapshot);

}  // namespace belay

#endif  // BELAY_CLI_AGENT_SNAPSHOT_H_
